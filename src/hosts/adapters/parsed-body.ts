import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** A request after a body parser, whose result is in `body`. */
export type ParsedRequest = IncomingMessage & { body?: unknown }

/** Reports whether a body parser has read the stream to its end. */
export const isParsed = ({ body, readableEnded }: ParsedRequest): boolean =>
  body !== undefined && readableEnded

/** Reports whether other code has read from the stream without storing the result. */
export const isLost = ({ body, readableDidRead }: ParsedRequest): boolean =>
  body === undefined && readableDidRead

/** Returns the request with its body to be read again, serialized from the parsed value. */
export function replay(request: ParsedRequest): IncomingMessage {
  const bytes = toBytes(request)
  // Its length is known now, even if it was sent in chunks.
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

function toBytes(request: ParsedRequest): Buffer {
  const { body, headers } = request
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
  if (isForm) return Buffer.from(formText(Object.entries(body ?? {})))
  return wasEmpty(request) ? Buffer.alloc(0) : Buffer.from(toJson(body))
}

/** Parsers store an empty object if there was no body. */
function wasEmpty({ body, headers, httpVersionMajor }: ParsedRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (length !== undefined || httpVersionMajor < 2) return Number(length ?? 0) === 0 && !encoding
  // Over HTTP/2 a body need not declare its length.
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

/**
 * Serializes a body; empty, which is rejected, if it cannot be JSON: nested too deeply, or with
 * values of another format.
 */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body) ?? ''
  } catch {
    return ''
  }
}

/**
 * Serializes the fields of a form. Values other than text are skipped, since no endpoint reads
 * them.
 */
export function formText(fields: Iterable<readonly [string, unknown]>): string {
  const form = new URLSearchParams()
  for (const [name, value] of fields) if (typeof value === 'string') form.append(name, value)
  return form.toString()
}

/**
 * @returns a function that warns once that a body was read before it reached Latchkey, and is lost.
 */
export function watchLostBody(): () => void {
  let isLogged = false
  return () => {
    if (isLogged) return
    isLogged = true
    process.emitWarning(
      'The body of a request was read before it reached Latchkey, and is not in request.body: mount ' +
        'Latchkey before the code that reads bodies',
      { code: 'LATCHKEY_BODY_READ' },
    )
  }
}
