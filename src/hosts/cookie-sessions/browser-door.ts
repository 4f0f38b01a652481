import { refreshTokenNotFound } from '../../accounts/sessions/session-errors.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import {
  conflict,
  unexpectedFailure,
  validationFailed,
} from '../../platform/errors/request-errors.ts'
import { bearerOf } from '../../platform/http/request-like.ts'
import {
  optionsOf,
  type RequestOptions,
  withCookieSession,
  withOptions,
} from '../../platform/http/request-options.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import { companionHostOf } from '../../service/companion-host.ts'
import { answerSession, type BrowserVisit } from './answer-session.ts'
import { answerError, errorCodeOf, withCookies } from './browser-answer.ts'
import { type CookieHost, endingCodes, keepTokens, viewerOf } from './cookie-host.ts'
import { openCookies, type RequestCookies } from './cookie-jar.ts'
import { cookieModeHeader } from './cookie-names.ts'
import { clientOf, viewerOfCookies } from './open-session.ts'
import { foreignOrigin, isFromOwnOrigin, isSafe } from './own-origin.ts'
import { refreshTokenOfPage } from './page-session.ts'

/**
 * Answers the wire to pages whose session is in cookies: what they are answered has no refresh token, and what they ask has
 * it filled in. Requests without the header go by, as they are: bearer tokens are nothing that a browser sends by itself.
 */
export async function answerBrowser(
  host: CookieHost,
  request: Request,
  given: RequestOptions = {},
): Promise<Response> {
  const options = optionsOf(withOptions(request, given))
  if (request.headers.get(cookieModeHeader) === null) {
    const url = URL.parse(request.url)
    const path = url && pathBelow(host, url)
    if (path !== null && asksForSession(request, path)) {
      return answerError(cookieModeMissing(), request)
    }
    return path !== null && isCallback(path)
      ? answerCallback(host, request, options)
      : host.auth.fetch(request, options)
  }
  const cookies = openCookies(host, request)
  try {
    return await answerVisit(host, openVisit(host, request, { options, cookies }))
  } catch (error) {
    return withCookies(cookies, answerError(refusalFor(host, error), request))
  }
}

const isCallback = (path: string): boolean => path === '/callback' || path.startsWith('/callback/')

/**
 * A provider redirects a browser here, or a page of the service submits a form: neither sends the header. The service
 * gets the id of the session, since only the session that started a linking flow needs no confirmation.
 */
async function answerCallback(
  host: CookieHost,
  request: Request,
  options: RequestOptions,
): Promise<Response> {
  const cookies = openCookies(host, request)
  const client = clientOf(request, options.ip)
  const viewer = await viewerOfCookies(host, cookies, client).catch(() => null)
  if (!viewer) return host.auth.fetch(request, options)
  const { sessionId } = viewer
  const asked = sessionId === null ? request : withCookieSession(request, sessionId)
  const answer = await host.auth.fetch(asked, options)
  return withCookies(cookies, answer)
}

/** Without the session's cookies being read, so that pages of other origins learn nothing. */
const cookieModeMissing = (): AuthError =>
  validationFailed(`The session is told to requests with the header ${cookieModeHeader}: 1`)

const asksForSession = ({ method }: Request, path: string): boolean =>
  method === 'GET' && path === '/session'

function openVisit(
  host: CookieHost,
  request: Request,
  { options, cookies }: Pick<BrowserVisit, 'options' | 'cookies'>,
): BrowserVisit {
  const url = new URL(request.url)
  return { request, url, path: pathBelow(host, url), options, cookies }
}

/** Below the mount, however the request spells it: routes are found by `/%6Cogout/` as well. */
function pathBelow({ auth }: CookieHost, { pathname }: URL): string {
  try {
    return decodeURIComponent(pathname).slice(auth.basePath.length).replace(/\/$/, '')
  } catch {
    return pathname.slice(auth.basePath.length)
  }
}

async function answerVisit(host: CookieHost, visit: BrowserVisit): Promise<Response> {
  const { request, path } = visit
  requireOwnPage(host, request)
  if (asksForSession(request, path)) return answerSession(host, visit)
  if (request.method === 'POST' && path === '/logout') {
    visit.request = await withGoodToken(host, visit)
  }
  await requireOneSession(host, visit)
  return answerWire(host, visit)
}

/** A fault is logged and answered, as by the service: thrown, it would end the process of many a host. */
function refusalFor({ auth }: CookieHost, error: unknown): AuthError {
  if (error instanceof AuthError) return error
  companionHostOf(auth).logger.error({ fault: describeFault(error) }, 'request failed')
  return unexpectedFailure()
}

/**
 * A page whose clock is slow signs out with a token that has expired, and the client takes the refusal for success. Its
 * session would come back with the next page, so the token of the cookies takes the place of one that is not good.
 */
async function withGoodToken(host: CookieHost, visit: BrowserVisit): Promise<Request> {
  const { request, cookies, options } = visit
  const isGood = await viewerOf(host, bearerOf(request) ?? '').catch(() => null)
  const viewer = isGood ? null : await viewerOfCookies(host, cookies, clientOf(request, options.ip))
  if (!viewer) return request
  return requestLike(request, { authorization: `Bearer ${viewer.accessToken}` })
}

/** Another body takes the place of that of the request. Not made of the request itself, which may be no `Request` but a host's. */
function requestLike(
  { url, method, headers: given }: Request,
  changed: Record<string, string>,
  body: string | null = null,
): Request {
  const headers = new Headers(given)
  for (const name of ['content-length', 'transfer-encoding']) headers.delete(name)
  for (const [name, value] of Object.entries(changed)) headers.set(name, value)
  return new Request(url, { method, headers, body })
}

/** What only reads is refused where a browser says that it comes from elsewhere; what changes, unless it says that it does not. */
function requireOwnPage({ terms }: CookieHost, request: Request): void {
  const isOwn = isFromOwnOrigin(terms.origins, request)
  if (isOwn === false || (isOwn === null && !isSafe(request))) throw foreignOrigin(terms.origins)
}

/**
 * A page that was loaded before somebody else signed in has the token of the former user. To act as one of the two and
 * keep the session of the other would mix them up.
 */
async function requireOneSession(
  host: CookieHost,
  { request, cookies }: BrowserVisit,
): Promise<void> {
  const bearer = bearerOf(request)
  if (bearer === null) return
  const { sessionId } = await viewerOf(host, bearer)
  if (sessionId === null || sessionId !== cookies.session?.sessionId)
    throw conflict('The page and the cookies of its browser are of different sessions')
}

async function answerWire(host: CookieHost, visit: BrowserVisit): Promise<Response> {
  const { cookies, request, options } = visit
  const isRefresh = isRefreshGrant(visit)
  if (isRefresh && !cookies.session) throw refreshTokenNotFound()
  const asked = isRefresh ? withRefreshToken(request, cookies.session?.refreshToken ?? '') : request
  const answer = await host.auth.fetch(asked, options)
  const isTold = request.method !== 'HEAD' && answer.body !== null
  const isJson = isTold && answer.headers.get('content-type')?.startsWith('application/json')
  const body: unknown = isJson ? await answer.json() : null
  if (endsSession(visit, answer, body)) {
    // With a bearer token, `requireOneSession` has compared the two.
    if (cookies.session && bearerOf(request) !== null) host.renewals.end(cookies.session.sessionId)
    cookies.removeSession()
  }
  if (!isJson) return withCookies(cookies, answer)
  const shown = await keepSession(host, cookies, body)
  return withCookies(cookies, new Response(JSON.stringify(shown), answer))
}

const isRefreshGrant = ({ request, path, url }: BrowserVisit): boolean =>
  request.method === 'POST' &&
  path === '/token' &&
  url.searchParams.get('grant_type') === 'refresh_token'

const withRefreshToken = (request: Request, refreshToken: string): Request =>
  requestLike(request, {}, JSON.stringify({ refresh_token: refreshToken }))

/** Puts the session of an answer into cookies, and says what the page gets to see. */
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

function endsSession(visit: BrowserVisit, { ok, status }: Response, body: unknown): boolean {
  const { method } = visit.request
  const hasEnded = endingCodes.has(errorCodeOf(body))
  // Where it has ended elsewhere before, the client takes the refusal for success.
  if (visit.path === '/logout' && status === 403) return hasEnded
  if (visit.path === '/logout') return ok && visit.url.searchParams.get('scope') !== 'others'
  if (visit.path === '/user' && method === 'DELETE') return ok
  return isRefreshGrant(visit) && status < 429 && hasEnded
}
