import { refreshTokenNotFound } from '../../accounts/sessions/session-errors.ts'
import { namedSession } from '../../credentials/access-tokens/verify-access-token.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { conflict, validationFailed } from '../../platform/errors/request-errors.ts'
import { bodyWasRead } from '../../platform/http/read-text.ts'
import { bearerOf } from '../../platform/http/request-like.ts'
import {
  markCookieClient,
  optionsOf,
  type RequestOptions,
  withCookieSession,
  withOptions,
} from '../../platform/http/request-options.ts'
import { isBelow } from '../../platform/kit/is-below.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { answerSession, type BrowserRequest } from './answer-session.ts'
import { answerError, errorCodeOf, rejectForbiddenMethod, withCookies } from './browser-answer.ts'
import {
  type CookieHost,
  clientOf,
  endingCodes,
  keepTokens,
  renewalEndingCodes,
  viewerOf,
} from './cookie-host.ts'
import { openCookies, type RequestCookies } from './cookie-jar.ts'
import { cookieModeHeader } from './cookie-names.ts'
import { viewerOfCookies } from './open-session.ts'
import { foreignOrigin, isFromOwnOrigin, isSafe } from './own-origin.ts'
import { refreshTokenOfPage, sessionNamedByPage } from './page-session.ts'
import { rejectionFor } from './rejection-for.ts'

/**
 * Serves pages whose session is in cookies: it removes the refresh token from responses, and adds
 * it to requests. Requests without the header are passed on unchanged: browsers do not send bearer
 * tokens by themselves.
 */
export async function answerBrowser(
  host: CookieHost,
  request: Request,
  given: RequestOptions = {},
): Promise<Response> {
  const options = optionsOf(withOptions(request, given))
  const url = URL.parse(request.url)
  const path = url && pathBelow(host, url)
  if (url === null || path === null) return host.auth.fetch(request, options)
  if (request.headers.get(cookieModeHeader) === null) {
    if (isSessionRequest(request, path)) return answerError(cookieModeMissing(), request)
    return isCallback(path)
      ? answerCallback(host, request, options)
      : host.auth.fetch(request, options)
  }
  const cookies = openCookies(host, request)
  try {
    return await answerBrowserRequest(host, { request, url, path, options, cookies })
  } catch (error) {
    return withCookies(cookies, answerError(rejectionFor(host, error), request))
  }
}

const isCallback = (path: string): boolean => path === '/callback' || path.startsWith('/callback/')

/**
 * Responds to a provider's redirect, or to a form of a service page: neither sends the header. The
 * service receives the id of the session, since only the session that started a linking flow needs
 * no confirmation.
 */
async function answerCallback(
  host: CookieHost,
  request: Request,
  options: RequestOptions,
): Promise<Response> {
  const cookies = openCookies(host, request)
  const client = clientOf(host, request, options.ip)
  const viewer = await viewerOfCookies(host, cookies, client).catch(() => null)
  if (!viewer) return host.auth.fetch(request, options)
  const { sessionId } = viewer
  const bound = sessionId === null ? request : withCookieSession(request, sessionId)
  const answer = await host.auth.fetch(bound, options)
  return withCookies(cookies, answer)
}

/**
 * Rejects a request without the header. The session's cookies are not read before, so that pages of
 * other origins obtain no information.
 */
const cookieModeMissing = (): AuthError =>
  validationFailed(`Requests for the session need the header ${cookieModeHeader}: 1`)

const isSessionRequest = ({ method }: Request, path: string): boolean =>
  method === 'GET' && path === '/session'

/**
 * Returns the path below the mount, normalized: `/%6Cogout/` matches a route as well. Null for any
 * other path of the host. Hosts may ignore the case of the mount.
 */
function pathBelow({ auth: { basePath } }: CookieHost, { pathname }: URL): string | null {
  const path = decoded(pathname)
  const isOurs = isBelow(path.toLowerCase(), basePath.toLowerCase())
  return isOurs ? path.slice(basePath.length).replace(/\/$/, '') : null
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

async function answerBrowserRequest(host: CookieHost, incoming: BrowserRequest): Promise<Response> {
  const { request, path } = incoming
  const rejection = rejectForbiddenMethod(request)
  if (rejection) return rejection
  requireOwnPage(host, request)
  if (isSessionRequest(request, path)) return answerSession(host, incoming)
  incoming.request = await withNamedToken(host, incoming)
  if (request.method === 'POST' && path === '/logout') {
    incoming.request = await withValidToken(host, incoming)
  }
  await requireOneSession(host, incoming)
  return answerWire(host, incoming)
}

/**
 * Adds the access token of the cookies to a request that only names their session. Pages do so,
 * since the headers of a request with the token twice can be larger than servers accept.
 */
async function withNamedToken(host: CookieHost, incoming: BrowserRequest): Promise<Request> {
  const { request, cookies, options } = incoming
  const named = sessionNamedByPage(bearerOf(request) ?? '')
  if (named === null) return request
  const { session } = cookies
  if (session?.sessionId !== named) throw differentSessions()
  if (request.bodyUsed) throw bodyWasRead()
  const viewer = await viewerOfCookies(host, cookies, clientOf(host, request, options.ip))
  // The service rejects the token of a session that has ended, with the code that the page expects.
  const accessToken = viewer?.accessToken ?? session.accessToken
  return requestLike(request, { authorization: `Bearer ${accessToken}` }, request.body)
}

/**
 * Replaces an invalid token at a sign-out by that of the cookies. A page with a slow clock signs
 * out with an expired token, and the client treats the rejection as success: the next page would
 * still have the session. A token that names another session is rejected: its page is that of a
 * former user, who would sign out the present one everywhere.
 */
async function withValidToken(host: CookieHost, incoming: BrowserRequest): Promise<Request> {
  const { request, cookies, options } = incoming
  const bearer = bearerOf(request) ?? ''
  if (await viewerOf(host, bearer).catch(() => null)) return request
  const named = namedSession(bearer)
  if (cookies.session && named !== undefined && named !== cookies.session.sessionId) {
    throw differentSessions()
  }
  const viewer = await viewerOfCookies(host, cookies, clientOf(host, request, options.ip))
  if (!viewer) return request
  return requestLike(request, { authorization: `Bearer ${viewer.accessToken}` })
}

/** Copies a request with another body. The original may be a host's object and not a `Request`. */
function requestLike(
  { url, method, headers: given }: Request,
  changed: Record<string, string>,
  body: string | ReadableStream | null = null,
): Request {
  const headers = new Headers(given)
  for (const name of ['content-length', 'transfer-encoding']) headers.delete(name)
  for (const [name, value] of Object.entries(changed)) headers.set(name, value)
  const init: RequestInit & { duplex: 'half' } = { method, headers, body, duplex: 'half' }
  return new Request(url, init)
}

/**
 * Rejects requests of other origins: one that only reads if the browser reports another origin, one
 * with effects also if it reports none.
 */
function requireOwnPage({ terms }: CookieHost, request: Request): void {
  const isOwn = isFromOwnOrigin(terms.origins, request)
  if (isOwn === false || (isOwn === null && !isSafe(request))) throw foreignOrigin(terms.origins)
}

/**
 * Rejects a request whose token and cookies belong to different sessions. A page that was loaded
 * before another user signed in has the token of the former user.
 */
async function requireOneSession(
  host: CookieHost,
  { request, cookies }: BrowserRequest,
): Promise<void> {
  const bearer = bearerOf(request)
  if (bearer === null) return
  const { sessionId } = await viewerOf(host, bearer)
  if (sessionId === null || sessionId !== cookies.session?.sessionId) throw differentSessions()
}

const differentSessions = (): AuthError =>
  conflict('The page and the cookies of its browser are of different sessions')

async function answerWire(host: CookieHost, incoming: BrowserRequest): Promise<Response> {
  const { cookies, request, options } = incoming
  const isRefresh = isRefreshGrant(incoming)
  if (isRefresh && !cookies.session) throw refreshTokenNotFound()
  const bound = isRefresh ? withRefreshToken(request, cookies.session?.refreshToken ?? '') : request
  const answer = await host.auth.fetch(markCookieClient(bound), options)
  const isReported = request.method !== 'HEAD' && answer.body !== null
  const isJson = isReported && answer.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = isJson ? await answer.json() : null
  if (endsSession(incoming, answer, body)) {
    // With a bearer token, `requireOneSession` has compared the two.
    if (cookies.session && bearerOf(request) !== null) host.renewals.end(cookies.session.sessionId)
    cookies.removeSession()
  }
  if (!isJson) return withCookies(cookies, answer)
  const shown = await keepSession(host, cookies, body)
  return withCookies(cookies, new Response(JSON.stringify(shown), answer))
}

const isRefreshGrant = ({ request, path, url }: BrowserRequest): boolean =>
  request.method === 'POST' &&
  path === '/token' &&
  url.searchParams.getAll('grant_type').join() === 'refresh_token'

const withRefreshToken = (request: Request, refreshToken: string): Request =>
  requestLike(request, {}, JSON.stringify({ refresh_token: refreshToken }))

/** Stores the session of a response in cookies, and returns the body for the page. */
async function keepSession(
  host: CookieHost,
  cookies: RequestCookies,
  body: unknown,
): Promise<unknown> {
  if (!isRecord(body)) return body
  const { access_token: accessToken, refresh_token: refreshToken } = body
  if (typeof accessToken !== 'string' || typeof refreshToken !== 'string') return body
  const { sessionId } = await keepTokens(host, cookies, { accessToken, refreshToken })
  if (sessionId === null) return body
  return { ...body, refresh_token: refreshTokenOfPage(sessionId) }
}

function endsSession(incoming: BrowserRequest, { ok, status }: Response, body: unknown): boolean {
  const { method } = incoming.request
  // If the session has ended before, the client treats the rejection as success.
  if (incoming.path === '/logout' && status === 403) return endingCodes.has(errorCodeOf(body))
  if (incoming.path === '/logout') return ok && endsCurrent(incoming)
  if (method === 'DELETE' && isOwnDeletion(incoming)) return ok
  return isRefreshGrant(incoming) && status < 429 && renewalEndingCodes.has(errorCodeOf(body))
}

const endsCurrent = ({ url }: BrowserRequest): boolean => url.searchParams.get('scope') !== 'others'

/** Whether a deletion concerns the user, or the session of the cookies. */
function isOwnDeletion(incoming: BrowserRequest): boolean {
  const { path, cookies } = incoming
  if (path === '/user/sessions') return endsCurrent(incoming)
  return path === '/user' || path.toLowerCase() === `/user/sessions/${cookies.session?.sessionId}`
}
