import type { RequestOptions } from '../../platform/http/request-options.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Auth } from '../../service/create-auth.ts'
import { answerBrowser } from './browser-door.ts'
import { type CookieSessionOptions, resolveCookieTerms } from './cookie-terms.ts'
import { type OpenSessionOptions, openSession } from './open-session.ts'
import type { CookieRequest } from './own-origin.ts'
import { createRenewals } from './renewals.ts'
import type { RequestSession } from './request-session.ts'

/** Sessions in cookies, for applications that render on the server. */
export interface CookieSessions {
  /**
   * The session of a request: by its bearer token, else by its cookies. As long as the access token is good, nothing is asked;
   * once it expires within 90 seconds, the session is renewed, once for all requests of this process that bring it.
   *
   * @throws AuthError `origin_not_allowed` (403) where a request that is to change something has the cookies of a session and was sent by
   *   no page of the application; `bad_jwt` for a bearer token that is not good; `service_unavailable` (503) where an expired
   *   session cannot be renewed now.
   * @example
   * const session = await sessions.open(request)
   * const response = new Response(`Hello ${session.viewer?.claims.email}`)
   * session.addHeaders(response.headers)
   */
  open(request: CookieRequest, options?: OpenSessionOptions): Promise<RequestSession>
  /**
   * Answers the wire, in place of `auth.fetch`. Clients of pages, which `latchkey/client` sets up, have their session in
   * cookies, and no refresh token; all others get the wire as it is.
   *
   * @param options as of `auth.fetch`.
   */
  fetch(request: Request, options?: RequestOptions): Promise<Response>
  /** The same, for what mounts an application: `toExpress(sessions)` in place of `toExpress(auth)`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** That of the service. */
  readonly basePath: string
  /** What the names of the cookies begin with. */
  readonly name: string
  /** The service. */
  readonly auth: Auth
}

/**
 * @param clock that of the service, which tests turn.
 * @internal
 */
export function openCookieSessions(
  auth: Auth,
  options: CookieSessionOptions,
  clock: Clock,
): CookieSessions {
  const terms = resolveCookieTerms(options)
  const host = { auth, terms, clock, renewals: createRenewals(auth, clock) }
  const fetch: CookieSessions['fetch'] = (request, sender) => answerBrowser(host, request, sender)
  return {
    open: (request, opening) => openSession(host, request, opening),
    fetch,
    app: { fetch: (request) => fetch(request) },
    basePath: auth.basePath,
    name: terms.name,
    auth,
  }
}
