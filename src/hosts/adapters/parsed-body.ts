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

function toBytes(request: ParsedRequest): Buffer {
  const { body, headers } = request
  if (Buffer.isBuffer(body)) return body
  if (typeof body === 'string') return Buffer.from(body)
  const isForm = /^application\/x-www-form-urlencoded/i.test(headers['content-type'] ?? '')
  if (isForm) return Buffer.from(formText(Object.entries(body ?? {})))
  return wasEmpty(request) ? Buffer.alloc(0) : Buffer.from(toJson(body))
}

/** Parsers leave an empty object where there was no body at all. */
function wasEmpty({ body, headers, httpVersionMajor }: ParsedRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers
  if (length !== undefined || httpVersionMajor < 2) return Number(length ?? 0) === 0 && !encoding
  // Over HTTP/2 a body need not say how long it is.
  return typeof body === 'object' && body !== null && Object.keys(body).length === 0
}

/** Nothing, which is refused, where it cannot be JSON: nested too deeply, or with what only that parser reads. */
function toJson(body: unknown): string {
  try {
    return JSON.stringify(body) ?? ''
  } catch {
    return ''
  }
}

/** Fields of a form as they travel in a body. What a parser made of one, other than text, is no field that anything here reads. */
export function formText(fields: Iterable<readonly [string, unknown]>): string {
  const form = new URLSearchParams()
  for (const [name, value] of fields) if (typeof value === 'string') form.append(name, value)
  return form.toString()
}

/** @returns what says, once, that a body was read before it came to us, and that nothing of it is left. */
export function watchLostBody(): () => void {
  let isSaid = false
  return () => {
    if (isSaid) return
    isSaid = true
    process.emitWarning(
      'The body of a request was read before it came to Latchkey, and is not in request.body: mount ' +
        'Latchkey before what reads bodies',
      { code: 'LATCHKEY_BODY_READ' },
    )
  }
}
