import type { GoTrueClient } from '@supabase/auth-js'
import type { ComputedRef } from 'vue'
import { computed, useNuxtApp, useRoute } from '#imports'
import options from '#latchkey/options'
import { ownPath } from './own-path.ts'
import { clientOf, type KnownSession, sessionState } from './session-state.ts'

/** Who is signed in, as the access token tells. */
export interface PageUser {
  id: string
  email?: string | undefined
  phone?: string | undefined
  role?: string | undefined
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
  is_anonymous?: boolean | undefined
}

/** Who is signed in; null where nobody is, and as long as it is not known. */
export function useUser(): ComputedRef<PageUser | null> {
  const state = sessionState()
  return computed(() => (state.value ? (state.value.user as unknown as PageUser) : null))
}

/**
 * The session, with the access token; null where nobody is signed in. Undefined as long as it is not known: in pages that are rendered for
 * everybody, until they have asked.
 */
export function useSession(): ComputedRef<KnownSession> {
  const state = sessionState()
  return computed(() => state.value)
}

/** The client of `@supabase/auth-js`, whose session is in cookies. While the server renders, it asks nobody. */
export const useAuthClient = (): GoTrueClient => clientOf(useNuxtApp())

/** Where to go after a sign-in: the path that the middleware `auth` left in the URL, and no other origin; else `homePath`. */
export function useRedirectPath(): ComputedRef<string> {
  const route = useRoute()
  return computed(() => ownPath(route.query['redirect'], options))
}
