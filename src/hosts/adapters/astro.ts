import type { Auth } from '../../service/api/auth.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { answerWithSession } from './answer-with-session.ts'
import { type Lazy, unwrap } from './lazy.ts'

/** The part of Astro's context that is used. */
export interface AstroContext {
  readonly request: Request
  /** Must not be read while pages are prerendered. */
  readonly clientAddress: string
  readonly isPrerendered: boolean
  readonly locals: object
}

/** A route of an endpoint, for `ALL`. */
export type AstroRoute = (context: AstroContext) => Promise<Response>

/** An `onRequest` of `src/middleware.ts`. */
export type AstroMiddleware = (
  context: AstroContext,
  next: () => Promise<Response>,
) => Promise<Response>

/**
 * Mounts Latchkey in Astro: the route of `src/pages/auth/[...path].ts`, if `basePath` is `/auth`.
 *
 * With `security.allowedDomains` Astro reads the address of a client from a header that the client
 * may have sent.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example export const ALL = toAstro(sessions)
 */
export function toAstro(auth: Lazy<Pick<Auth, 'fetch'>>): AstroRoute {
  return ({ request, clientAddress }) => unwrap(auth).fetch(request, { ip: clientAddress })
}

/**
 * Opens the session of each request as `context.locals.session`, renews an expired one, and sends
 * changed cookies. The session is absent in prerendered pages, and in requests to the mounted
 * service.
 *
 * @example
 * // src/middleware.ts; in src/env.d.ts: declare namespace App { interface Locals { session: RequestSession } }
 * export const onRequest: MiddlewareHandler = sessionMiddleware(sessions)
 */
export function sessionMiddleware(sessions: Lazy<CookieSessions>): AstroMiddleware {
  return async (context, next) => {
    // A prerendered page has no user.
    if (context.isPrerendered) return next()
    const answer = (session: RequestSession | null): Promise<Response> => {
      if (session) Object.assign(context.locals, { session })
      return next()
    }
    return answerWithSession(unwrap(sessions), context.request, answer, context.clientAddress)
  }
}
