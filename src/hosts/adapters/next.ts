import { AuthError } from '../../platform/errors/auth-error.ts'
import { isBelow } from '../../platform/kit/is-below.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import type { SignedInViewer } from '../cookie-sessions/signed-in-viewer.ts'
import { answerForHost } from './answer-with-session.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { isBadBearer, type ReadableSession, readableOf } from './next-requests.ts'
import { requirePageUser } from './require-page-user.ts'

export type { NextCookies, NextRequestState, ReadableSession } from './next-requests.ts'
export { openSession, readSession } from './next-requests.ts'
export type {
  CreateFormAction,
  FormAction,
  FormFields,
  FormState,
  NextSessions,
  NextSessionsOptions,
  RequiredUser,
} from './next-sessions.ts'
export { createNextSessions, formActions } from './next-sessions.ts'

// Nothing is imported from Next: its functions must come from the application's bundle, and are
// passed as arguments.

/** A route handler of Next. */
export type NextHandler = (request: Request) => Promise<Response>

/** The exports of `app/auth/[...path]/route.ts`. */
export interface NextHandlers {
  GET: NextHandler
  HEAD: NextHandler
  POST: NextHandler
  PUT: NextHandler
  PATCH: NextHandler
  DELETE: NextHandler
  OPTIONS: NextHandler
}

/**
 * Mounts Latchkey in Next, 16 or later: the handlers of `app/auth/[...path]/route.ts`, if
 * `basePath` is `/auth`. With a `basePath` of Next itself, such as `/shop`, it is `/shop/auth`.
 *
 * Next does not provide the address of a client. Name the header of your proxy in
 * `rateLimits.header`; otherwise there are no limits per client.
 *
 * @param service `sessions` or `auth` of `latchkey/shared`, or a function that returns either:
 *   `next build` loads routes without the settings of production.
 * @example export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = toNext(sessions)
 */
export function toNext(service: Lazy<Pick<CookieSessions, 'fetch' | 'basePath'>>): NextHandlers {
  const answer: NextHandler = (request) => {
    const mounted = unwrap(service)
    return mounted.fetch(withWholePath(request, mounted.basePath))
  }
  return {
    GET: answer,
    HEAD: answer,
    POST: answer,
    PUT: answer,
    PATCH: answer,
    DELETE: answer,
    OPTIONS: answer,
  }
}

/** Adds Next's own `basePath`, which it removes from the address of routes. */
function withWholePath(request: Request, basePath: string): Request {
  const url = new URL(request.url)
  if (isBelow(url.pathname, basePath)) return request
  const taken = prefixesOf(basePath).find((prefix) => isBelow(prefix + url.pathname, basePath))
  if (taken === undefined) return request
  url.pathname = taken + url.pathname
  return new Request(url, request)
}

/** Returns `/shop` for `/shop/auth`. */
const prefixesOf = (path: string): string[] =>
  [...path.matchAll(/(?!^)\//g)].map(({ index }) => path.slice(0, index))

/**
 * Returns the user of a page. A visitor without a session is redirected to the sign-in page of the
 * service, and back afterwards. Users with a verified second factor who have not proved it in this
 * session are redirected to its page; `aal: 1` accepts them. It queries the database once, as
 * `session.requireUser` does.
 *
 * @param session of {@link readSession}.
 * @param redirect of `next/navigation`, which throws.
 * @param returnTo the path of the page: Next does not provide it.
 * @example const { userId } = await requireUser(sessions, await getSession(), redirect, '/dashboard')
 */
export async function requireUser(
  sessions: Lazy<CookieSessions>,
  session: Pick<ReadableSession, 'viewer' | 'requireUser'>,
  redirect: (url: string) => never,
  returnTo: string,
  required: RequiredAssurance = {},
): Promise<SignedInViewer> {
  const found = await requirePageUser(sessions, session, { required, returnTo })
  return typeof found === 'string' ? redirect(found) : found
}

/**
 * For `proxy.ts`: renews an expired session of a request, passes it on to the page, and sends it to
 * the browser. Responds itself to rejected requests, for example of another origin with session
 * cookies.
 *
 * A request with an invalid bearer token has no user here, and is passed on. A request to the
 * mounted service is passed on unchanged: its session is not renewed, and its cookies are not set.
 *
 * @param answer receives the session, and the headers of the request to pass on.
 * @example
 * export const proxy = (request: NextRequest) =>
 *   renewSession(sessions, request, (session, headers) => NextResponse.next({ request: { headers } }))
 */
export async function renewSession(
  sessions: Lazy<CookieSessions>,
  request: Request,
  answer: (session: ReadableSession | null, headers: Headers) => Response | Promise<Response>,
): Promise<Response> {
  const headers = new Headers(request.headers)
  const hand = (session: RequestSession | null) =>
    answer(session?.viewer ? readableOf(session) : null, headers)
  const mounted = unwrap(sessions)
  return answerForHost(mounted, request, {
    ofPage: (session) => {
      headers.set('cookie', session.cookieHeader())
      return hand(session)
    },
    ofService: async () => hand(await mounted.open(request, { renew: false }).catch(nullIfRefused)),
    refused: (error) => (isBadBearer(error) ? hand(null) : answerError(error, request)),
  })
}

function nullIfRefused(error: unknown): null {
  if (error instanceof AuthError) return null
  throw error
}
