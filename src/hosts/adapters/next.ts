import {
  AuthError,
  type AuthErrorCode,
  type StepUpAction,
} from '../../platform/errors/auth-error.ts'
import { type CookiePair, cookiePairs } from '../../platform/http/cookie-pairs.ts'
import { type HeadersLike, readHeader } from '../../platform/http/request-like.ts'
import { answerError } from '../cookie-sessions/browser-answer.ts'
import type { CookieJar } from '../cookie-sessions/cookie-jar.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import type { ReadingApi } from '../cookie-sessions/session-api.ts'
import type { SignedInViewer } from '../cookie-sessions/signed-in-viewer.ts'
import { answerForHost } from './answer-with-session.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { isBelow } from './mount-path.ts'

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

/** The functions of `next/headers` for the current request: `{ cookies, headers }`. */
export interface NextRequestState {
  cookies(): Promise<NextCookies>
  headers(): Promise<HeadersLike>
}

/** The part of Next's cookies that is used. */
export interface NextCookies extends CookieJar {
  getAll(): readonly { readonly name: string; readonly value: string }[]
}

/** The session of a request, for code that cannot set cookies. */
export interface ReadableSession
  extends Pick<RequestSession, 'viewer' | 'requireUser' | 'forPage'> {
  /** The methods of `auth.api` that only read, for this session: `session.api.listSessions()`. */
  readonly api: ReadingApi
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
 * Reads the session of the request that a server component renders. It is not renewed, since
 * components cannot set cookies: `renewSession` has done so before.
 *
 * Rendering cannot reject a request, so one with an invalid bearer token has no user.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @example
 * const getSession = cache(() => readSession(sessions, { cookies, headers }))
 */
export async function readSession(
  sessions: Lazy<CookieSessions>,
  next: NextRequestState,
): Promise<ReadableSession> {
  const { headers } = await readState(next)
  // Rendering changes nothing, so the origin of the request is not checked.
  const read = (given: HeadersLike) =>
    unwrap(sessions).open({ method: 'GET', headers: given }, { renew: false })
  const session = await read(headers).catch((error) => {
    if (isBadBearer(error)) return read({})
    throw error
  })
  return readableOf(session)
}

/**
 * Returns the user of a page. A visitor without a session is redirected to the sign-in page of the
 * service, and back afterwards.
 *
 * @param session of {@link readSession}.
 * @param redirect of `next/navigation`, which throws.
 * @param returnTo the path of the page: Next does not provide it.
 * @example const { userId } = requireUser(sessions, await getSession(), redirect, '/dashboard')
 */
export const requireUser = (
  sessions: Lazy<CookieSessions>,
  session: Pick<ReadableSession, 'viewer'>,
  redirect: (url: string) => never,
  returnTo: string,
): SignedInViewer => session.viewer ?? redirect(unwrap(sessions).signInUrl(returnTo))

/**
 * Opens the session of the request that runs a server action, to sign in and out there.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @throws AuthError as `sessions.open`: `origin_not_allowed` (403) if no page of the application
 *   sent the form.
 * @example
 * const { api } = await openSession(sessions, { cookies, headers })
 * await api.signInWithPassword({ email, password })
 */
export async function openSession(
  sessions: Lazy<CookieSessions>,
  next: NextRequestState,
): Promise<RequestSession> {
  const { headers, jar } = await readState(next)
  return unwrap(sessions).open({ method: 'POST', headers }, { jar })
}

/** The texts of a submitted form. Files are left out. */
export type FormFields = Readonly<Record<string, string>>

/** The state of a form: the result of its action, or the reason of a rejection. */
export type FormState<Result extends object = object> = Partial<Result> & FormProblem

interface FormProblem {
  /** The message of the rejection, for the user. */
  problem?: string
  code?: AuthErrorCode
  /** The step that the action requires first, as in `details.stepUp` of the error. */
  stepUp?: StepUpAction
}

/** An action that redirects returns nothing. */
type ResultOf<Returned> = [Extract<Returned, object>] extends [never]
  ? object
  : Extract<Returned, object>

/** A server action, for `useActionState`. */
export type FormAction<Result extends object = object> = (
  state: FormState<Result>,
  form: FormData,
) => Promise<FormState<Result>>

/**
 * Returns the function that creates server actions of forms. Each opens the session of its request
 * as `openSession` does. An `AuthError` becomes the state of the form; other errors are thrown.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @example
 * const action = formActions(sessions, { cookies, headers })
 * export const signIn = action(async ({ api }, { email, password }) => {
 *   await api.signInWithPassword({ email, password })
 *   redirect('/account')
 * })
 */
export const formActions =
  (sessions: Lazy<CookieSessions>, next: NextRequestState) =>
  <Returned>(
    act: (session: RequestSession, fields: FormFields) => Promise<Returned>,
  ): FormAction<ResultOf<Returned>> =>
  async (_state, form) => {
    try {
      const result = await act(await openSession(sessions, next), textsOf(form))
      return (result ?? {}) as FormState<ResultOf<Returned>>
    } catch (error) {
      if (!(error instanceof AuthError)) throw error
      const { message: problem, code, details } = error
      const { stepUp } = details
      return { problem, code, ...(stepUp && { stepUp }) } as FormState<ResultOf<Returned>>
    }
  }

const textsOf = (form: FormData): FormFields =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  )

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

const isBadBearer = (error: unknown): boolean =>
  error instanceof AuthError && error.code === 'bad_jwt'

const readableOf = (session: RequestSession): ReadableSession => ({
  get viewer() {
    return session.viewer
  },
  get api() {
    return session.api
  },
  requireUser: session.requireUser,
  forPage: session.forPage,
})

async function readState(
  next: NextRequestState,
): Promise<{ headers: HeadersLike; jar: NextCookies }> {
  const [given, jar] = await Promise.all([next.headers(), next.cookies()])
  const cookie = currentCookies(readHeader({ headers: given }, 'cookie') ?? '', jar)
  const get = (name: string) => (name === 'cookie' ? cookie : readHeader({ headers: given }, name))
  return { headers: { get }, jar }
}

/**
 * Returns the `Cookie` header after an action; `headers()` still contains the original. Unchanged
 * cookies remain as sent, since a repeated name is rejected.
 */
function currentCookies(header: string, jar: NextCookies): string {
  const pairs = cookiePairs(header).map(readPair)
  const sent = new Map(pairs.map(({ name, value }) => [name, value]))
  const current = new Map(jar.getAll().map(({ name, value }) => [name, value]))
  const unchanged = pairs.filter(({ name }) => sent.get(name) === current.get(name))
  const changed = [...current].filter(([name, value]) => value !== sent.get(name))
  return [
    ...unchanged.map(({ text }) => text),
    ...changed.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ].join('; ')
}

/** Parses a pair like Next. */
function readPair({ text }: CookiePair): { text: string; name: string; value: string | null } {
  const [name = '', ...rest] = text.split('=')
  try {
    return { text, name, value: decodeURIComponent(rest.join('=')) }
  } catch {
    return { text, name, value: null }
  }
}
