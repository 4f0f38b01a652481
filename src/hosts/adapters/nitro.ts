import { type PeerSocket, peerOfSocket } from '../../platform/http/peer.ts'
import type { Auth } from '../../service/api/auth.ts'
import type { ProtectedResource, RequiredAccess } from '../../service/api/protected-resource.ts'
import { rejectForbiddenMethod } from '../cookie-sessions/browser-answer.ts'
import { type Lazy, unwrap } from './lazy.ts'
import { formText, watchLostBody } from './parsed-body.ts'
import { isResponse } from './protect-resource.ts'

/** The part of an event of Nitro 3 that is used. */
export interface Nitro3Event {
  /** Contains the address of the client and `waitUntil`, if the host provides them. */
  readonly req: Request
}

/** The part of an event of Nitro 2 that is used. */
export interface Nitro2Event {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly node: { readonly req: object }
  readonly web?: { readonly request?: Request | undefined } | undefined
  readonly context: object
}

/** A handler for a route, of Nitro 2 and 3. */
export type NitroHandler = (event: Nitro3Event | Nitro2Event) => Promise<Response>

/**
 * Mounts Latchkey in a Nitro app, version 2 or 3, as the route `server/routes/auth/[...].ts`. Set
 * the mount path in `basePath` too.
 *
 * @param auth the service, sessions in cookies, or a function that returns either: a build loads
 *   the route without the settings of production.
 * @example export default defineHandler(toNitro(auth))
 */
export function toNitro(auth: Lazy<Pick<Auth, 'fetch'>>): NitroHandler {
  const noteLostBody = watchLostBody()
  return async (event) => {
    if (isOfNitro3(event)) return unwrap(auth).fetch(event.req)
    const rejection = rejectForbiddenMethod(event)
    if (rejection) return rejection
    const { request, ...options } = await readNitro2(event, noteLostBody)
    return unwrap(auth).fetch(request, options)
  }
}

/** A middleware of h3 or Nitro, version 2 and 3. Version 2 of Nitro passes no `next`. */
export type NitroResourceHandler = (
  event: (Nitro3Event & { readonly context: object }) | Nitro2Event,
  next?: () => unknown,
) => Promise<unknown>

/**
 * Protects a resource, such as an MCP server: responds to requests for its metadata, and to those
 * without access. Other requests are passed on, with the access in `event.context.access`.
 *
 * @example app.use('/mcp', protectResource(mcp)).use(mcp.metadataPath, protectResource(mcp))
 */
export function protectResource(
  resource: Lazy<ProtectedResource>,
  options?: RequiredAccess,
): NitroResourceHandler {
  return async (event, next) => {
    const request = isOfNitro3(event)
      ? event.req
      : { headers: event.headers, method: event.method, url: pathOf(event) }
    const result = await unwrap(resource).protect(request, options)
    if (isResponse(result)) return result
    Object.assign(event.context, { access: result })
    return next?.()
  }
}

/** Returns the path of a request; a mount removes its prefix from `path`. */
const pathOf = ({ node, path }: Nitro2Event): string =>
  (node.req as { originalUrl?: string }).originalUrl ?? path

/** Version 2 has a `req` as well: that of Node, whose headers are not `Headers`. */
const isOfNitro3 = (event: Nitro3Event | Nitro2Event): event is Nitro3Event =>
  'req' in event && typeof event.req.headers.get === 'function'

/** The data that hosts of version 2 add to an event and its request. */
interface Nitro2Leavings {
  context: {
    clientAddress?: string
    /** The host's own function. `event.waitUntil` also exists in hosts that do not wait. */
    waitUntil?: (work: Promise<void>) => unknown
  }
  _requestBody?: unknown
  node: { req: NodeSource }
}

interface NodeSource {
  originalUrl?: string
  socket?: PeerSocket | null
  rawBody?: unknown
  body?: unknown
  /** The result of `readBody`. */
  [rawBody]?: unknown
  readonly readableDidRead?: boolean
  on(event: string, listener: (value: never) => void): unknown
  pause(): unknown
  resume(): unknown
}

/** The key under which h3 stores a body that it has read. */
const rawBody: unique symbol = Symbol.for('h3RawBody') as never

async function readNitro2(event: Nitro2Event, noteLostBody: () => void) {
  const { context, node, _requestBody } = event as Nitro2Event & Nitro2Leavings
  const { req } = node
  const { method, headers, path, web } = event
  const target = req.originalUrl ?? path
  const host = headers.get('host') ?? ''
  const url = urlOf(target, host)
  const known = _requestBody ?? web?.request?.body ?? req[rawBody] ?? req.rawBody ?? req.body
  const body = bodiful.has(method) ? (toBody(await known) ?? unreadBody(req, noteLostBody)) : null
  const init = { method, headers, body, duplex: 'half' } as RequestInit
  return {
    request: new Request(url, init),
    ip: context.clientAddress ?? peerOfSocket(req.socket),
    waitUntil: context.waitUntil?.bind(context),
  }
}

/**
 * Returns the URL of a request. A host that does not form a URL is replaced, and so is one with
 * credentials, which `Request` rejects.
 */
function urlOf(target: string, host: string): URL {
  const url = URL.parse(target, `http://${host}`)
  return url && !url.username && !url.password ? url : new URL(target, 'http://localhost')
}

const bodiful: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT', 'DELETE'])

type Body = ConstructorParameters<typeof Response>[0]

/** Returns a body that the host or middleware has read; undefined if it is still unread. */
function toBody(known: unknown): Body | undefined {
  if (known === undefined || known === null) return undefined
  if (known instanceof FormData || known instanceof URLSearchParams) return formText(known)
  if (typeof known === 'string' || known instanceof Uint8Array) return known as Body
  if (known instanceof ArrayBuffer || known instanceof ReadableStream) return known
  return JSON.stringify(known)
}

/**
 * Returns the unread body; empty if other code has read from it without storing the result, since
 * waiting for the rest would never end.
 */
function unreadBody(source: NodeSource, noteLostBody: () => void): Body {
  if (!source.readableDidRead) return streamOf(source)
  noteLostBody()
  return ''
}

/**
 * Streams the body. If the reader stops, the rest is discarded, so that the client can read the
 * response.
 */
function streamOf(source: NodeSource): ReadableStream<Uint8Array> {
  let isWanted = true
  return new ReadableStream({
    start: (controller) => {
      source.on('data', (chunk: Uint8Array) => {
        if (!isWanted) return
        controller.enqueue(chunk)
        if ((controller.desiredSize ?? 0) <= 0) source.pause()
      })
      source.on('end', () => isWanted && controller.close())
      source.on('error', (error: Error) => isWanted && controller.error(error))
    },
    pull: () => {
      source.resume()
    },
    cancel: () => {
      isWanted = false
      source.resume()
    },
  })
}
