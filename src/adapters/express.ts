import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { Auth } from '../create-auth.ts'
import { toNode } from './node.ts'

/** The part of Express's request that we look at; of version 4 and 5. */
export interface ExpressRequest extends IncomingMessage {
  body?: unknown
  /** The path before a mount took its own away. */
  originalUrl?: string
  /** What it took away. */
  baseUrl?: string
}

/** A handler for `app.use`. */
export type ExpressHandler = (
  request: ExpressRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Mounts Latchkey in an Express app, version 4 or 5. It answers every request below its mount path. Say
 * that path in `basePath` too: links to the service are made from there.
 * Body parsers may run before it, after it, or not at all.
 *
 * @example app.use('/auth', toExpress(auth))
 */
export function toExpress(auth: Pick<Auth, 'app' | 'basePath'>): ExpressHandler {
  const handle = toNode(auth)
  let isWarned = false
  return (request, response, next) => {
    if (!isWarned && !auth.basePath && request.baseUrl) {
      isWarned = true
      process.emitWarning(
        `Latchkey is mounted at ${request.baseUrl} and does not know it: links in its mails lead ` +
          `elsewhere. Give createAuth basePath: '${request.baseUrl}'`,
        { code: 'LATCHKEY_BASE_PATH' },
      )
    }
    // With a base path of our own, the one that the mount took away is part of the address.
    if (auth.basePath && request.originalUrl) request.url = request.originalUrl
    handle(isConsumed(request) ? replay(request) : request, response).catch(next)
  }
}

/** A body parser that ran before us has read the stream to its end. */
const isConsumed = ({ body, readableEnded }: ExpressRequest): boolean =>
  body !== undefined && readableEnded

/** The request with its body to be read again, in the bytes that the parsed value stands for. */
function replay(request: ExpressRequest): IncomingMessage {
  const bytes = toBytes(request)
  // Its length is known by now, even where it came in chunks.
  const { 'transfer-encoding': _, ...headers } = request.headers
  const copy = Object.assign(Readable.from([bytes]), {
    method: request.method,
    url: request.url,
    socket: request.socket,
    rawHeaders: request.rawHeaders,
    httpVersion: request.httpVersion,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
  return copy as unknown as IncomingMessage
}

function toBytes({ body, headers }: ExpressRequest): Buffer {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
  if (isForm) return Buffer.from(new URLSearchParams(body as Record<string, string>).toString())
  // Parsers leave an empty object where there was no body at all.
  const wasEmpty = Number(headers['content-length'] ?? 0) === 0 && !headers['transfer-encoding']
  return wasEmpty ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
}
