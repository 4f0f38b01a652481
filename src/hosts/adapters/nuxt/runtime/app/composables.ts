import type { GoTrueClient } from '@supabase/auth-js'
import type { ComputedRef } from 'vue'
import { computed, useNuxtApp, useRoute } from '#imports'
import options from '#latchkey/options'
import { ownPath } from './own-path.ts'
import { clientOf } from './session-state.ts'

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
