import type { GoTrueClient } from '@supabase/auth-js'
import type { ComputedRef } from 'vue'
import { computed, useNuxtApp, useRoute } from '#imports'
import options from '#latchkey/options'
import { ownPath } from './own-path.ts'
import { clientOf, type KnownSession, sessionState } from './session-state.ts'

/** The signed-in user, from the access token. */
export interface PageUser {
  id: string
  email?: string | undefined
  phone?: string | undefined
  role?: string | undefined
  app_metadata: Record<string, unknown>
  user_metadata: Record<string, unknown>
  is_anonymous?: boolean | undefined
}

/** Returns the signed-in user; null without one, and while it is unknown. */
export function useUser(): ComputedRef<PageUser | null> {
  const state = sessionState()
  return computed(() => (state.value ? (state.value.user as unknown as PageUser) : null))
}

/**
 * Returns the session with the access token; null without one. Undefined while it is unknown: in a
 * page that was rendered for all visitors, until it has queried the session.
 */
export function useSession(): ComputedRef<KnownSession> {
  const state = sessionState()
  return computed(() => state.value)
}

/**
 * Returns the client of `@supabase/auth-js`, whose session is in cookies. During server rendering
 * it sends no requests.
 */
export const useAuthClient = (): GoTrueClient => clientOf(useNuxtApp())

/**
 * Returns the target after a sign-in: the path that the middleware `auth` stored in the URL, never
 * another origin; else `homePath`.
 */
export function useRedirectPath(): ComputedRef<string> {
  const route = useRoute()
  return computed(() => ownPath(route.query['redirect'], options))
}
