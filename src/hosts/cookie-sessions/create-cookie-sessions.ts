import { systemClock } from '../../platform/kit/clock.ts'
import type { Auth } from '../../service/create-auth.ts'
import { type CookieSessions, openCookieSessions } from './cookie-sessions.ts'
import type { CookieSessionOptions } from './cookie-terms.ts'

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
 * Creates sessions in cookies of the application's own host. See `docs/cookies.md`.
 *
 * @throws TypeError for an invalid option, such as an origin without TLS.
 * @example
 * const sessions = createCookieSessions(auth, { origin: 'https://app.example.com' })
 */
export const createCookieSessions = (auth: Auth, options: CookieSessionOptions): CookieSessions =>
  openCookieSessions(auth, options, systemClock)
