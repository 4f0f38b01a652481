import type { Auth } from 'latchkey'
import type { CookieSessions } from 'latchkey/cookies'
import { useRuntimeConfig } from '#imports'
import options from '#latchkey/options'
import make from '#latchkey/sessions'
import { joinPaths } from '../join-paths.ts'

let made: CookieSessions | undefined

/** Returns the result of the application's file, created once. */
export const sessions = (): CookieSessions => (made ??= makeSessions())

/**
 * Returns the service: `useAuth().admin`, `useAuth().api`.
 *
 * @throws Error while pages are prerendered.
 */
export const useAuth = (): Auth => sessions().auth

function makeSessions(): CookieSessions {
  if (import.meta.prerender)
    throw new Error('There is no service and no session while an application is built')
  const sessions = make()
  const { baseURL } = useRuntimeConfig().app
  const mountedAt = joinPaths(baseURL, options.basePath)
  requireSame('basePath', sessions.basePath, mountedAt)
  requireSame('name', sessions.name, options.name)
  return sessions
}

/** Requires that pages and service have the same settings. */
function requireSame(setting: string, made: string, built: string): void {
  if (made === built) return
  throw new Error(
    `latchkey: the service has the ${setting} ${made}, and the module of Nuxt ${built}: set the same in both`,
  )
}
