import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer } from '../http/answer.ts'

/** Sends an answer as it is, and waits until it has left, or the client has. A host may have answered meanwhile. */
export async function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: Answer,
): Promise<void> {
  if (response.headersSent) return
  const said: Record<string, string | number> = { ...headers }
  // Its connections are not ours to end. @see RFC 9113 §8.2.2
  if (response.req.httpVersionMajor >= 2) delete said['connection']
  if (body !== null && typeof body !== 'string') {
    response.writeHead(status, said)
    // Whoever left has no more to hear.
    await pipeline(Readable.fromWeb(body), response).catch(() => {})
    return
  }
  if (mayHaveBody(response, status)) said['content-length'] = Buffer.byteLength(body ?? '')
  response.writeHead(status, said)
  await new Promise<void>((resolve) => {
    response.once('close', resolve)
    response.end(body ?? undefined, resolve)
  })
}

const mayHaveBody = ({ req }: ServerResponse, status: number): boolean =>
  req.method !== 'HEAD' && status !== 204 && status !== 304
