import type { ServerResponse } from 'node:http'
import { Answer } from '../../platform/http/answer.ts'
import { peerOfSocket } from '../../platform/http/peer.ts'
import type { Auth } from '../../service/api/auth.ts'
import type {
  ProtectedResource,
  RequiredAccess,
  ResourceAccess,
} from '../../service/api/protected-resource.ts'
import type { RequiredAssurance } from '../../service/api/step-up.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { FinishFlowOptions } from '../cookie-sessions/finish-flow.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import { type Lazy, lazily, unwrap } from './lazy.ts'
import { watchMountPath } from './mount-path.ts'
import { type HttpRequest, type HttpResponse, toNode } from './node.ts'
import { authInfoOf, isResponse, type ResourceAuthInfo } from './protect-resource.ts'
import { requirePageUser } from './require-page-user.ts'
import { sendAnswer } from './send-answer.ts'

export type { ResourceAuthInfo } from './protect-resource.ts'

/** The part of Express's request that is used; of version 4 and 5. */
export interface ExpressRequest extends HttpRequest {
  body?: unknown
  /** The path before a mount removed its own. */
  originalUrl?: string
  /** The path that it removed. */
  baseUrl?: string
}

/** A handler for `app.use`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: HttpResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts Latchkey in an Express app, version 4 or 5. It responds to every request below its mount
 * path. Set that path in `basePath` too: links to the service are built from it. Body parsers may
 * run before or after it.
 *
 * @param auth the service, sessions in cookies, pages of a capability, or a function that returns
 *   one of them.
 * @example app.use('/auth', toExpress(auth))
 */
export function toExpress(
  auth: Lazy<Pick<Auth, 'app'> & { readonly basePath: string | null }>,
): ExpressHandler {
  const handle = toNode(auth)
  const mounted = lazily(auth, (one) => ({ one, noteMountPath: watchMountPath(one) }))
  return (request, response, next) => {
    const { one, noteMountPath } = mounted()
    noteMountPath(request.baseUrl ?? '')
    // If the service has a base path, the mount path is part of its address.
    if (one.basePath && request.originalUrl) request.url = request.originalUrl
    handle(request, response).catch(next)
  }
}

/** The part of Express's response that {@link finishFlow} uses. */
export interface ExpressResponse {
  append(name: string, value: string): unknown
  set(name: string, value: string): unknown
  redirect(status: number, url: string): void
}

/**
 * The members of `response.locals` after {@link requireUser}. Handlers in line have them by
 * inference.
 *
 * @example function dashboard(request: Request, response: Response<unknown, SessionLocals>) { … }
 */
export interface SessionLocals {
  /** The session of the signed-in user. */
  session: RequestSession
}

/** The part of Express's response that {@link requireUser} uses. */
export interface ExpressSessionResponse extends ExpressResponse {
  locals: SessionLocals
}

/** The part of Express's request that {@link requireUser} uses. */
export interface ExpressPageRequest extends ExpressRequest {
  readonly socket?: { readonly remoteAddress?: string | undefined } | undefined
}

/** A handler of Express for pages. */
export type ExpressPageHandler = (
  request: ExpressPageRequest,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => void

/**
 * A handler of Express before those of pages for signed-in users. The first signature accepts
 * responses whose locals have another type. Express infers the locals of the handlers that follow
 * from the last one.
 */
export interface ExpressSessionHandler {
  (
    request: ExpressPageRequest,
    response: ExpressResponse & { locals: object },
    next: (error?: unknown) => void,
  ): void
  (
    request: ExpressPageRequest,
    response: ExpressSessionResponse,
    next: (error?: unknown) => void,
  ): void
}

/**
 * Protects pages: a visitor without a session is redirected to the sign-in page of the service, and
 * back afterwards. Users with a verified second factor who have not proved it in this session are
 * redirected to its page; `aal: 1` accepts them. It queries the database once, as
 * `session.requireUser` does. The session is in `response.locals.session`.
 *
 * @example app.get('/dashboard', requireUser(sessions), (request, response) => { … })
 */
export function requireUser(
  sessions: Lazy<CookieSessions>,
  required: RequiredAssurance = {},
): ExpressSessionHandler {
  return (request, response, next) => {
    const opened = unwrap(sessions)
    const ip = peerOfSocket(request.socket)
    opened
      .open(request, { ip })
      .then(async (session) => {
        const returnTo = request.originalUrl ?? request.url ?? '/'
        // Afterwards, so that the cookies of a session that has ended are left out.
        const found = await requirePageUser(opened, session, { required, returnTo }).finally(() =>
          session.addHeaders(response),
        )
        if (typeof found === 'string') return response.redirect(303, found)
        Object.assign(response.locals, { session } satisfies SessionLocals)
        next()
      })
      .catch(next)
  }
}

/**
 * Finishes the flows that lead back from a mail or a provider, as `sessions.finishFlow` does: the
 * handler of the page that they name in `redirectTo`.
 *
 * @example app.get('/callback', finishFlow(sessions, { to: '/account', failed: '/sign-in' }))
 */
export function finishFlow(
  sessions: Lazy<CookieSessions>,
  options: FinishFlowOptions,
): ExpressPageHandler {
  return (request, response, next) => {
    const ip = peerOfSocket(request.socket)
    unwrap(sessions)
      .finishFlow(request, { ip, ...options })
      .then(({ status, headers }) => {
        for (const cookie of headers.getSetCookie()) response.append('set-cookie', cookie)
        response.set('cache-control', headers.get('cache-control') ?? 'no-store')
        response.redirect(status, headers.get('location') ?? options.to)
      })
      .catch(next)
  }
}

/** The part of Express's request that {@link protectResource} uses. */
export interface ExpressResourceRequest extends ExpressRequest {
  /** The access, as servers of `@modelcontextprotocol/sdk` read it. */
  auth?: ResourceAuthInfo
}

/** The members of `response.locals` after {@link protectResource}. */
export interface AccessLocals {
  /** The access of the request. */
  access: ResourceAccess
}

/** The part of Express's response that {@link protectResource} uses. */
export interface ExpressResourceResponse extends HttpResponse {
  locals: AccessLocals
}

/**
 * A handler of Express for requests to a resource. Its signatures differ as those of
 * {@link ExpressSessionHandler}.
 */
export interface ExpressResourceHandler {
  (
    request: ExpressResourceRequest,
    response: HttpResponse & { locals: object },
    next: (error?: unknown) => void,
  ): void
  (
    request: ExpressResourceRequest,
    response: ExpressResourceResponse,
    next: (error?: unknown) => void,
  ): void
}

/**
 * Protects a resource, such as an MCP server: responds to requests for its metadata, and to those
 * without access. Other requests are passed on, with the access in `response.locals.access`, and in
 * `request.auth` for servers of `@modelcontextprotocol/sdk`.
 *
 * @example app.use(['/mcp', mcp.metadataPath], protectResource(mcp))
 */
export function protectResource(
  resource: Lazy<ProtectedResource>,
  options?: RequiredAccess,
): ExpressResourceHandler {
  return (request, response, next) => {
    const { headers, method = 'GET' } = request
    // A mount removes its path from `url`.
    const url = request.originalUrl ?? request.url ?? '/'
    unwrap(resource)
      .protect({ headers, method, url }, options)
      .then(async (result) => {
        if (isResponse(result)) {
          return sendAnswer(response as unknown as ServerResponse, await answerOf(result))
        }
        request.auth = authInfoOf(result)
        Object.assign(response.locals, { access: result } satisfies AccessLocals)
        next()
      })
      .catch(next)
  }
}

/** Converts a response with a short body. */
const answerOf = async (response: Response): Promise<Answer> =>
  new Answer(
    response.status,
    Object.fromEntries(response.headers),
    response.body === null ? null : await response.text(),
  )
