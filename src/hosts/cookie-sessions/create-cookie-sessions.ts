import { capabilityHostOf } from '../../capabilities/capability-host.ts'
import { givenConfigOf } from '../../platform/config/given-config.ts'
import { systemClock } from '../../platform/kit/clock.ts'
import type { Auth } from '../../service/api/auth.ts'
import { type CookieSessions, sessionsWithTerms } from './cookie-sessions.ts'
import { type CookieSessionOptions, type CookieTerms, resolveCookieTerms } from './cookie-terms.ts'

export type { CookieJar } from './cookie-jar.ts'
export type { CookieSessions } from './cookie-sessions.ts'
export type { CookieSessionOptions } from './cookie-terms.ts'
export type { FinishFlowOptions, FlowRequest } from './finish-flow.ts'
export type { OpenSessionOptions } from './open-session.ts'
export type { CookieRequest } from './own-origin.ts'
export type { PageSession, RequestSession, ServerClientOptions } from './request-session.ts'
export { requiredStep } from './required-step.ts'
export type { ReadingApi, SessionApi } from './session-api.ts'
export type { CookieAttributes } from './session-cookie.ts'
export type { SignedInViewer } from './signed-in-viewer.ts'

/**
 * Creates sessions in cookies of the application's own host. See `docs/cookies.md`. The log contains
 * a warning if the pages of `siteUrl` have another origin, since their requests are rejected.
 *
 * @throws TypeError for an invalid option, such as an origin without TLS.
 * @example
 * const sessions = createCookieSessions(auth, { origin: 'https://app.example.com' })
 */
export function createCookieSessions(auth: Auth, options: CookieSessionOptions): CookieSessions {
  const terms = resolveCookieTerms(options)
  warnOfOtherSite(auth, terms)
  return sessionsWithTerms(auth, terms, systemClock)
}

function warnOfOtherSite(auth: Auth, { origins }: CookieTerms): void {
  const { siteUrl } = givenConfigOf(auth) ?? {}
  const site = typeof siteUrl === 'string' ? URL.parse(siteUrl) : null
  // The site of a mobile app has a scheme of its own, and no origin.
  if (!site || !/^https?:$/.test(site.protocol)) return
  if (origins.has(site.origin)) return
  const fields = { siteUrl: site.origin, origins: [...origins] }
  capabilityHostOf(auth).logger.warn(
    fields,
    'cookie sessions reject forms of siteUrl: its origin is not in origin',
  )
}
