import type { H3Event } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { badJson, bodyTooLarge } from '../errors/request-errors.ts'
import { maxBodyBytes } from './body-limit.ts'

declare module 'h3' {
  interface H3EventContext {
    /** The body as text, where it was received before it is read. */
    receivedText?: Promise<string>
  }
}

/**
 * The body as text, whatever it is, and however it comes.
 *
 * @throws AuthError `request_entity_too_large` (413) once there is more of it, `bad_json` (400) where it
 *   ends early.
 */
export async function readText(event: H3Event, maxBytes: number): Promise<string> {
  const { receivedText } = event.context
  if (!receivedText) return receiveText(event, maxBytes)
  const text = await receivedText
  if (Buffer.byteLength(text) > maxBytes) throw bodyTooLarge(maxBytes)
  return text
}

/** Waits for the body, if there may be one. What is wrong with it, whoever reads it is told. */
export async function receiveBody(event: H3Event): Promise<void> {
  if (bodiless.has(event.req.method)) return
  event.context.receivedText ??= receiveText(event, maxBodyBytes)
  await event.context.receivedText.catch(() => {})
}

const bodiless = new Set(['GET', 'HEAD'])

async function receiveText({ req }: H3Event, maxBytes: number): Promise<string> {
  if (Number(req.headers.get('content-length') ?? 0) > maxBytes) throw bodyTooLarge(maxBytes)
  try {
    return isHeldToItsLength(req) ? await req.text() : await countedText(req, maxBytes)
  } catch (error) {
    throw error instanceof AuthError ? error : badJson('the body ended early')
  }
}

/**
 * Whether there cannot be more than was declared: Node sees to it in HTTP/1.1. In HTTP/2 a length is
 * seldom declared; elsewhere a host made the request, with whatever headers; and some hand over a body
 * that they have read.
 */
function isHeldToItsLength({ headers, runtime }: H3Event['req']): boolean {
  const request = runtime?.name === 'node' ? runtime.node?.req : undefined
  if (!request || 'rawBody' in request) return false
  return request.httpVersion.startsWith('1') && !headers.has('transfer-encoding')
}

async function countedText(req: H3Event['req'], maxBytes: number): Promise<string> {
  // Only its host can do something about it, and sees it at the first try.
  if (req.bodyUsed) throw badJson('the host has read the body before it came to Latchkey')
  const reader = req.body?.getReader()
  if (!reader) return ''
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return new TextDecoder().decode(Buffer.concat(chunks))
    // A stream that a host made may hold anything.
    if (!(value instanceof Uint8Array)) throw badJson('the body is no stream of bytes')
    bytes += value.byteLength
    if (bytes <= maxBytes) {
      chunks.push(value)
      continue
    }
    // To cancel what Node reads would end the connection, and the answer with it.
    if (req.runtime?.name !== 'node') reader.cancel().catch(() => {})
    throw bodyTooLarge(maxBytes)
  }
}
