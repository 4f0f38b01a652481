import {
  type PeerServer,
  type PeerSocket,
  peerOfServer,
  peerOfSocket,
} from '../../platform/http/peer.ts'
import type { Auth } from '../../service/api/auth.ts'
import type {
  ProtectedResource,
  RequiredAccess,
  ResourceAccess,
} from '../../service/api/protected-resource.ts'
import { rejectForbiddenMethod } from '../cookie-sessions/browser-answer.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { formText } from './parsed-body.ts'
import { authInfoOf, isResponse, type ResourceAuthInfo } from './protect-resource.ts'

export type { ResourceAuthInfo } from './protect-resource.ts'

/** The part of Hono's request that is used. */
export interface HonoRequest {
  readonly raw: Request
  /** The results of reading the body, by the name of the method that read it. */
  readonly bodyCache: object
  arrayBuffer(): Promise<ArrayBuffer>
  formData(): Promise<FormData>
}

/** The part of Hono's context that is used. */
export interface HonoContext {
  readonly req: HonoRequest
  readonly env: unknown
  /** Throws if the host has none. */
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/** A handler for `app.all`. */
export type HonoHandler = (context: HonoContext) => Promise<Response>

/**
 * Mounts Latchkey in a Hono app, version 4. Set the mount path in `basePath` too. Middleware may
 * have read the body before, by the methods of `c.req`.
 *
 * The address of the client is that of the connection, if the server is Hono's own for Node, Bun or
 * Deno. On other servers only a declared header identifies clients.
 *
 * @param auth the service, sessions in cookies, or a function that returns either.
 * @example app.all('/auth/*', toHono(auth))
 */
export function toHono(auth: Lazy<Pick<Auth, 'fetch'>>): HonoHandler {
  return async (context) => {
    const rejection = rejectForbiddenMethod(context.req.raw)
    if (rejection) return rejection
    const request = await unread(context.req)
    return unwrap(auth).fetch(request, {
      ip: peerOf(context),
      waitUntil: waitUntilOf(context),
    })
  }
}

/** Returns a request whose body can be read. @see cloneRawRequest of `hono/request` */
async function unread(request: HonoRequest): Promise<Request> {
  const { raw, bodyCache } = request
  if (!raw.bodyUsed) return raw
  const headers = new Headers(raw.headers)
  headers.delete('content-length')
  headers.delete('transfer-encoding')
  // A body that other code has read is lost. The raw request then fails with its own error.
  if (Object.keys(bodyCache).length === 0) return raw
  const isForm = 'formData' in bodyCache || 'parsedBody' in bodyCache
  // A form that middleware could not read is invalid here as well.
  const body = await (isForm ? request.formData().then(formText) : request.arrayBuffer()).catch(
    () => '',
  )
  return new Request(raw.url, { method: raw.method, headers, body })
}

interface Bindings extends PeerServer {
  /** `@hono/node-server`. */
  incoming?: { socket?: PeerSocket }
  /** Bun, unless the bindings themselves are the server. */
  server?: Bindings
  /** Deno. */
  remoteAddr?: { hostname?: string }
}

/** Returns the address of the socket's peer, from the server's bindings of the request. */
function peerOf({ env, req }: HonoContext): string | undefined {
  const given = (env ?? {}) as Bindings
  const bindings = given.server ?? given
  return (
    peerOfSocket(bindings.incoming?.socket) ??
    peerOfServer(bindings, req.raw) ??
    bindings.remoteAddr?.hostname
  )
}

function waitUntilOf(context: HonoContext): ((work: Promise<void>) => void) | undefined {
  try {
    const { executionCtx } = context
    return (work) => executionCtx.waitUntil(work)
  } catch {
    return undefined
  }
}

/** The variables that {@link protectResource} sets: `new Hono<{ Variables: ResourceVariables }>()`. */
export interface ResourceVariables {
  access: ResourceAccess
  /** The access, as servers of `@modelcontextprotocol/sdk` read it. */
  auth: ResourceAuthInfo
}

/** The part of Hono's context that {@link protectResource} uses. */
export interface HonoResourceContext {
  readonly req: { readonly raw: Request }
  set(name: string, value: unknown): void
}

/** A middleware of Hono. */
export type HonoResourceHandler = (
  context: HonoResourceContext,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/**
 * Protects a resource, such as an MCP server: responds to requests for its metadata, and to those
 * without access. Other requests are passed on, with {@link ResourceVariables}.
 *
 * @example app.on('ALL', ['/mcp', mcp.metadataPath], protectResource(mcp))
 */
export function protectResource(
  resource: Lazy<ProtectedResource>,
  options?: RequiredAccess,
): HonoResourceHandler {
  return async (context, next) => {
    const result = await unwrap(resource).protect(context.req.raw, options)
    if (isResponse(result)) return result
    context.set('access', result)
    context.set('auth', authInfoOf(result))
    await next()
    return undefined
  }
}
