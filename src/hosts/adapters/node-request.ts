import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { FastURL } from 'srvx'
import type { ServiceRequest } from '../../platform/http/service-request.ts'

interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/**
 * A request of `node:http` or `node:http2` in the form of the Fetch standard, as far as the service
 * reads it. A `Request` would load Node's `fetch`, and each would cost more than the rest of a
 * small request.
 */
export class NodeRequest implements ServiceRequest {
  readonly method: string
  readonly headers: ServiceRequest['headers']
  /** The address of the peer. */
  readonly ip: string | undefined
  /** The objects of Node, where h3 and srvx have them. */
  readonly runtime: { readonly name: 'node'; readonly node: Exchange }
  /** Set by h3. Declared, since objects that get members later are slow. */
  context: object | undefined = undefined
  #body: ReadableStream<Uint8Array> | null | undefined

  constructor(node: Exchange) {
    const { req } = node
    this.method = req.method ?? 'GET'
    this.headers = new NodeHeaders(req)
    this.ip = req.socket?.remoteAddress
    this.runtime = { name: 'node', node }
  }

  get url(): string {
    const { protocol, host, pathname, search } = partsOf(this.runtime.node.req)
    return `${protocol}//${host}${pathname}${search}`
  }

  /** Read by h3 in place of `url`. It is parsed only where its parts are not in normal form. */
  get _url(): URL {
    return new FastURL(partsOf(this.runtime.node.req))
  }

  get bodyUsed(): boolean {
    const { req } = this.runtime.node
    return this.#body === undefined && !rawBodyOf(req) && req.readableDidRead
  }

  get body(): ReadableStream<Uint8Array> | null {
    const { req } = this.runtime.node
    this.#body ??= this.method === 'GET' || this.method === 'HEAD' ? null : streamOf(req)
    return this.#body
  }
}

/** Returns the body that some hosts leave in a member of the request after they have read it. */
function rawBodyOf(request: IncomingMessage): Uint8Array | null {
  const { rawBody } = request as { rawBody?: unknown }
  return rawBody instanceof Uint8Array ? rawBody : null
}

function streamOf(request: IncomingMessage): ReadableStream<Uint8Array> {
  const rawBody = rawBodyOf(request)
  if (rawBody) return Readable.toWeb(Readable.from([rawBody]))
  if (!request.readableEnded && !request.destroyed) return Readable.toWeb(request)
  // The stream of a request of HTTP/2 that the client has reset ends as that of an empty body.
  // `Readable.toWeb` of Node 20 returns an empty stream for one that was destroyed.
  return new globalThis.ReadableStream({
    start: (controller) => controller.error(new Error('the body ended before it was read')),
  })
}

/** A name or address, with a port: anything else could change the path of the URL. */
const authority = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** The parts of the URL of a request. */
type UrlParts = Pick<URL, 'protocol' | 'host' | 'pathname' | 'search'>

function partsOf({ url: target = '/', headers, socket }: IncomingMessage): UrlParts {
  const sent = headers.host ?? headers[':authority']
  const host = typeof sent === 'string' && isUsable(sent) ? sent : 'invalid'
  // Some hosts have no socket.
  const { encrypted } = (socket ?? {}) as { encrypted?: unknown }
  const protocol = encrypted === true ? 'https:' : 'http:'
  if (!target.startsWith('/')) return { protocol, host, ...partsOfOtherTarget(target) }
  const at = target.indexOf('?')
  if (at === -1) return { protocol, host, pathname: target, search: '' }
  // As in a parsed URL, an empty query is none.
  const search = at === target.length - 1 ? '' : target.slice(at)
  return { protocol, host, pathname: target.slice(0, at), search }
}

const isUsable = (host: string): boolean => authority.test(host) && URL.canParse(`http://${host}`)

/** Reads a target that is not a path. @see RFC 9112 §3.2 */
function partsOfOtherTarget(target: string): Pick<URL, 'pathname' | 'search'> {
  const absolute = URL.parse(target)
  return absolute?.pathname.startsWith('/')
    ? { pathname: absolute.pathname, search: absolute.search }
    : { pathname: '/', search: '' }
}

/** Headers that Node takes from the first of several lines, while `Headers` joins all lines. */
const singular = new Set([
  'age',
  'authorization',
  'content-length',
  'content-type',
  'etag',
  'expires',
  'from',
  'host',
  'if-modified-since',
  'if-unmodified-since',
  'last-modified',
  'location',
  'max-forwards',
  'proxy-authorization',
  'referer',
  'retry-after',
  'server',
  'user-agent',
])

class NodeHeaders {
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    this.#request = request
  }

  get(name: string): string | null {
    const lowerName = name.toLowerCase()
    const { headers } = this.#request
    if (!Object.hasOwn(headers, lowerName)) return null
    const value = headers[lowerName]
    if (Array.isArray(value)) return value.join(', ')
    return (singular.has(lowerName) && this.#joined(lowerName)) || (value ?? null)
  }

  has(name: string): boolean {
    return this.get(name) !== null
  }

  /** Returns the values of all lines of a header; null for a single line. */
  #joined(lowerName: string): string | null {
    const { rawHeaders } = this.#request
    const values: string[] = []
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const name = rawHeaders[at]
      if (name?.length === lowerName.length && name.toLowerCase() === lowerName)
        values.push(rawHeaders[at + 1] ?? '')
    }
    return values.length > 1 ? values.join(', ') : null
  }
}
