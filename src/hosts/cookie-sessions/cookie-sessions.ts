import type { StepUpAction } from '../../platform/errors/auth-error.ts'
import type { RequestOptions } from '../../platform/http/request-options.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Auth } from '../../service/api/auth.ts'
import { answerBrowser } from './answer-browser.ts'
import { type CookieSessionOptions, type CookieTerms, resolveCookieTerms } from './cookie-terms.ts'
import { type FinishFlowOptions, type FlowRequest, finishFlow } from './finish-flow.ts'
import { type OpenSessionOptions, openSession } from './open-session.ts'
import type { CookieRequest } from './own-origin.ts'
import { createRenewals } from './renewals.ts'
import type { RequestSession } from './request-session.ts'
import { signInUrl, stepUpUrl } from './required-step.ts'

/** Sessions in cookies, for applications that render on the server. */
export interface CookieSessions {
  /**
   * Opens the session of a request: by its bearer token, else by its cookies. While the access
   * token is valid, this needs no query. If it expires within 90 seconds, the session is renewed,
   * once for all concurrent requests of this process.
   *
   * @throws AuthError `origin_not_allowed` (403) for a request with effects that has session
   *   cookies and was not sent by a page of the application; `bad_jwt` for an invalid bearer token;
   *   `service_unavailable` (503) if an expired session cannot be renewed now.
   * @example
   * const session = await sessions.open(request)
   * const response = new Response(`Hello ${session.viewer?.claims.email}`)
   * session.addHeaders(response.headers)
   */
  open(request: CookieRequest, options?: OpenSessionOptions): Promise<RequestSession>
  /**
   * Finishes a flow at its redirect target, such as `/callback`: exchanges the code in the URL for a
   * session, as `session.exchangeCode` does, and redirects the browser. Flows of `session.api` that
   * name the target in `redirectTo` end there: sign-ups, recoveries, links and providers.
   *
   * @example
   * const options = { to: '/account', failed: '/sign-in' }
   * export const GET = (request: Request) => sessions.finishFlow(request, options)
   */
  finishFlow(request: FlowRequest, options: FinishFlowOptions): Promise<Response>
  /**
   * Serves the wire, in place of `auth.fetch`. Clients of pages, which `latchkey/client`
   * configures, have their session in cookies, and no refresh token; all others get the plain wire.
   *
   * @param options as of `auth.fetch`.
   */
  fetch(request: Request, options?: RequestOptions): Promise<Response>
  /**
   * Returns the path of the service's sign-in page, which returns to a page of the
   * application.
   *
   * @param returnTo a path, or the URL of the request, of which path and query are used.
   * @example
   * if (!session.viewer) return Response.redirect(new URL(sessions.signInUrl(url), url), 303)
   */
  signInUrl(returnTo: string): string
  /**
   * Returns the path of the service's page for the step that `requireUser` requires first, which
   * returns to a page of the application.
   *
   * @param step `details.stepUp` of the error.
   * @param returnTo as of `signInUrl`.
   */
  stepUpUrl(step: StepUpAction, returnTo: string): string
  /** Serves requests of adapters: `toExpress(sessions)` in place of `toExpress(auth)`. */
  readonly app: { fetch(request: Request): Promise<Response> }
  /** The base path of the service. */
  readonly basePath: string
  /** The prefix of the cookies' names. */
  readonly name: string
  /** The service. */
  readonly auth: Auth
}

/**
 * @param clock that of the service, which tests control.
 * @internal
 */
export function openCookieSessions(
  auth: Auth,
  options: CookieSessionOptions,
  clock: Clock,
): CookieSessions {
  return sessionsWithTerms(auth, resolveCookieTerms(options), clock)
}

/** @internal */
export function sessionsWithTerms(auth: Auth, terms: CookieTerms, clock: Clock): CookieSessions {
  const host = { auth, terms, clock, renewals: createRenewals(auth, clock) }
  const pages = { origins: terms.origins, basePath: auth.basePath }
  const fetch: CookieSessions['fetch'] = (request, sender) => answerBrowser(host, request, sender)
  return {
    open: (request, opening) => openSession(host, request, opening),
    finishFlow: (request, finishing) => finishFlow(host, request, finishing),
    fetch,
    signInUrl: (returnTo) => signInUrl(pages, returnTo),
    stepUpUrl: (step, returnTo) => stepUpUrl(pages, step, returnTo),
    app: { fetch: (request) => fetch(request) },
    basePath: auth.basePath,
    name: terms.name,
    auth,
  }
}
