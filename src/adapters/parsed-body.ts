import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** A request as body parsers leave it: what they have read is in `body`. */
export type ParsedRequest = IncomingMessage & { body?: unknown }

/** A body parser that ran before us has read the stream to its end. */
export const isParsed = ({ body, readableEnded }: ParsedRequest): boolean =>
  body !== undefined && readableEnded

/** Something has read from the stream, and left us nothing of what it read. */
export const isLost = ({ body, readableDidRead }: ParsedRequest): boolean =>
  body === undefined && readableDidRead

/** The request with its body to be read again, in the bytes that the parsed value stands for. */
export function replay(request: ParsedRequest): IncomingMessage {
  const bytes = toBytes(request)
  // Its length is known by now, even where it came in chunks.
  const { 'transfer-encoding': _, ...headers } = request.headers
  const copy = Object.assign(Readable.from([bytes]), {
    method: request.method,
    url: request.url,
    socket: request.socket,
    rawHeaders: request.rawHeaders,
    httpVersion: request.httpVersion,
    httpVersionMajor: request.httpVersionMajor,
    headers: { ...headers, 'content-length': String(bytes.length) },
  })
  return copy as unknown as IncomingMessage
}

function toBytes({ body, headers }: ParsedRequest): Buffer {
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
  if (isForm) return Buffer.from(new URLSearchParams(body as Record<string, string>).toString())
  // Parsers leave an empty object where there was no body at all.
  const wasEmpty = Number(headers['content-length'] ?? 0) === 0 && !headers['transfer-encoding']
  return wasEmpty ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body))
}
