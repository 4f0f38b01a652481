import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer } from '../../platform/http/answer.ts'

/**
 * Sends a response, and waits until it was sent or the client has disconnected. A host may have
 * responded meanwhile.
 */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body, cookies }: Answer,
): Promise<void> {
  if (response.headersSent || response.destroyed) return
  const sentHeaders: Record<string, string | number | string[]> = { ...headers }
  const first = headers['set-cookie']
  if (cookies.length > 0) {
    sentHeaders['set-cookie'] = [...(first === undefined ? [] : [first]), ...cookies]
  }
  // An HTTP/2 response must not contain it. @see RFC 9113 §8.2.2
  if (response.req.httpVersionMajor >= 2) delete sentHeaders['connection']
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(status, sentHeaders)
    // A client that has disconnected needs no response.
    await pipeline(Readable.fromWeb(body), response).catch(() => {})
    return
  }
  if (mayHaveBody(response, status)) sentHeaders['content-length'] = Buffer.byteLength(body ?? '')
  response.writeHead(status, sentHeaders)
  const rest = body === null ? null : await writeAllButEnd(response, body)
  await new Promise<void>((resolve) => {
    response.once('close', resolve)
    response.end(rest ?? undefined, resolve)
    // The headers of an HTTP/2 response without a body end it, and Node then calls no callback.
    if (response.req.httpVersionMajor >= 2 && !mayHaveBody(response, status)) resolve()
  })
}

/** The amount that is written to a connection at a time. */
const sliceBytes = 65_536

/**
 * Writes a large body at the pace of its reader, so that no copy is buffered for a slow one.
 *
 * @returns the rest to write: a small body unchanged.
 */
async function writeAllButEnd(
  response: ServerResponse,
  body: string | Uint8Array,
): Promise<string | Uint8Array> {
  if (Buffer.byteLength(body) <= sliceBytes) return body
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  let at = 0
  for (; bytes.length - at > sliceBytes && !response.destroyed; at += sliceBytes) {
    if (response.write(bytes.subarray(at, at + sliceBytes))) continue
    const closed = new AbortController()
    const stop = () => closed.abort()
    response.once('close', stop)
    await once(response, 'drain', { signal: closed.signal }).catch(() => {})
    response.off('close', stop)
  }
  return bytes.subarray(at)
}

const mayHaveBody = ({ req }: ServerResponse, status: number): boolean =>
  req.method !== 'HEAD' && status !== 204 && status !== 304
