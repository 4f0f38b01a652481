import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer } from '../../platform/http/answer.ts'

/** Sends an answer as it is, and waits until it has left, or the client has. A host may have answered meanwhile. */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  if (response.headersSent) return
  const said: Record<string, string | number> = { ...headers }
  // Its connections are not ours to end. @see RFC 9113 §8.2.2
  if (response.req.httpVersionMajor >= 2) delete said['connection']
  if (body !== null && typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(status, said)
    // Whoever left has no more to hear.
    await pipeline(Readable.fromWeb(body), response).catch(() => {})
    return
  }
  if (mayHaveBody(response, status)) said['content-length'] = Buffer.byteLength(body ?? '')
  response.writeHead(status, said)
  const rest = body === null ? null : await writeAllButEnd(response, body)
  await new Promise<void>((resolve) => {
    response.once('close', resolve)
    response.end(rest ?? undefined, resolve)
  })
}

/** As much as is handed to a connection at a time. */
const sliceBytes = 65_536

/**
 * Writes a large body at the pace of its reader, so that a slow one holds no copy of it.
 *
 * @returns what is left to write: a small body as it is.
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
