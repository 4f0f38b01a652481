import type { Auth } from '../../service/api/auth.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { answerWithSession } from './answer-with-session.ts'
import { type Lazy, unwrap } from './lazy.ts'

/** The part of React Router's arguments that is used. */
export interface ReactRouterRequest {
  readonly request: Request
}

/** A `loader` and an `action` of a route module. */
export type ReactRouterHandler = (args: ReactRouterRequest) => Promise<Response>

/** A context of React Router's `createContext`, in which middleware stores values for loaders. */
export interface SessionContext {
  readonly defaultValue?: RequestSession
}

/** A middleware, for `export const middleware` of `app/root.tsx`. */
export type ReactRouterMiddleware = (
  args: ReactRouterRequest & { readonly context: Readonly<SessionProvider> },
  next: () => Promise<Response>,
) => Promise<Response>

interface SessionProvider {
  set(context: SessionContext, session: RequestSession): void
}

/**
 * Mounts Latchkey in React Router 8: both handlers of the route module of `route('auth/*',
 * './routes/auth.ts')`, if `basePath` is `/auth`.
 *
 * `react-router-serve` does not provide the address of a client: name the header of your proxy in
 * `rateLimits.header`; otherwise there are no limits per client.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example
 * export const loader = toReactRouter(sessions)
 * export const action = toReactRouter(sessions)
 */
export function toReactRouter(auth: Lazy<Pick<Auth, 'fetch'>>): ReactRouterHandler {
  return ({ request }) => unwrap(auth).fetch(request)
}

/**
 * Opens the session of each request, renews an expired one, and sends changed cookies. Loaders and
 * actions read it by `context.get(sessionContext)`. It is absent in requests to the mounted
 * service.
 *
 * @param sessionContext `createContext<RequestSession>()` of React Router.
 * @example export const middleware = [sessionMiddleware(sessions, sessionContext)]
 */
export function sessionMiddleware(
  sessions: Lazy<CookieSessions>,
  sessionContext: SessionContext,
): ReactRouterMiddleware {
  return ({ request, context }, next) => {
    const answer = (session: RequestSession | null): Promise<Response> => {
      if (session) context.set(sessionContext, session)
      return next()
    }
    return answerWithSession(unwrap(sessions), request, answer)
  }
}
