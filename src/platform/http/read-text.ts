import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { badJson, bodyTooLarge, requestTimeout, tooManyRequests } from '../errors/request-errors.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Stops receiving the body, after a response that did not need it. */
    stopReceiving?: () => void
  }
}

/** The reception of a body, and the reading of its text. */
export interface BodyReader<T> {
  /** The maximum size for the endpoint. */
  maxBytes: number
  /** Parses the text, in an iteration of the event loop in which few bodies are parsed. */
  read(text: string): T
}

interface Receiver {
  bodies: BodyBudget
  /** The fairness key of the client's share of the budget. */
  client: string | null
}

const utf8 = new TextDecoder()

/**
 * The maximum number of small pieces in a body, beyond pieces of this average size: each takes as
 * long as a large one.
 */
const maxSmallPieces = 256
const leastPieceBytes = 16

/** The time limit for receiving a body if the request has no deadline, or a later one. */
const maxReceiveMs = 30_000

/**
 * Receives a body, parses it, and runs work with the result. The body keeps its share of the budget
 * until the work has ended or failed.
 *
 * @throws AuthError `request_entity_too_large` (413) by the declared length, before reading, or by
 *   the received bytes; `service_unavailable` (503) if the budget is used up, or if too many
 *   requests are being served; `bad_json` (400) if the body ends early; `request_timeout` (504) if it
 *   takes too long.
 */
export async function withBody<T, R>(
  receiver: Receiver,
  event: H3Event,
  { maxBytes, read }: BodyReader<T>,
  work: (read: T) => Promise<R>,
): Promise<R> {
  const { bodies, client } = receiver
  const share = bodies.open(client)
  try {
    const declaredBytes = requireDeclaredLength(event, maxBytes)
    share.reserve(declaredBytes)
    const bytes = await receive(event, receiver, { share, declaredBytes, maxBytes })
    await bodies.turn(bytes.byteLength)
    return await work(read(utf8.decode(bytes)))
  } finally {
    share.release()
  }
}

/**
 * Returns the declared length of a body; 0 if there is none.
 *
 * @throws AuthError `request_entity_too_large` (413) above the limit of the endpoint.
 */
export function requireDeclaredLength({ req }: Pick<H3Event, 'req'>, maxBytes: number): number {
  const declared = Number(req.headers.get('content-length') ?? 0)
  if (declared > maxBytes) throw bodyTooLarge(maxBytes)
  return declared > 0 ? declared : 0
}

interface Limits {
  share: BodyShare
  declaredBytes: number
  maxBytes: number
}

async function receive(
  { req, context }: H3Event,
  { bodies, client }: Receiver,
  limits: Limits,
): Promise<Uint8Array> {
  if (bodiless.has(req.method)) return noBytes
  const request = unreadRequestOf(req)
  if (request && isReceived(request)) return readReceived(request, limits)
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(requestTimeout())
  const timer = setTimeout(stop, maxReceiveMs)
  const remove = bodies.receiving.add(client, () => stopped.reject(tooManyRequests()))
  context.stopReceiving = stop
  try {
    return await (request
      ? fromNode(request, limits, stopped.promise)
      : fromStream(req, limits, stopped.promise))
  } catch (error) {
    throw error instanceof AuthError ? error : badJson('the body ended early')
  } finally {
    clearTimeout(timer)
    remove()
    delete context.stopReceiving
  }
}

const noBytes: Uint8Array = new Uint8Array()

const bodiless = new Set(['GET', 'HEAD'])

/** Returns Node's request if its body has not been read; undefined otherwise. */
function unreadRequestOf(req: H3Event['req']): IncomingMessage | undefined {
  const request = req.runtime?.name === 'node' ? req.runtime.node?.req : undefined
  return request && isUnread(request as IncomingMessage) ? (request as IncomingMessage) : undefined
}

/** Some hosts leave a body that they have read in a member of the request. */
const isUnread = (request: IncomingMessage): boolean =>
  !Object.hasOwn(request, 'rawBody') && !request.readableDidRead && !request.destroyed

/**
 * Reports whether Node has received all of the body. An aborted request of HTTP/2 is complete, too.
 */
const isReceived = ({ complete, httpVersionMajor }: IncomingMessage): boolean =>
  complete && httpVersionMajor === 1

/**
 * Reads a body that was received with the head of its request, as most are, without listeners or a
 * timer.
 */
function readReceived(request: IncomingMessage, limits: Limits): Uint8Array {
  const { add, bytes } = createCollector(limits)
  const chunk: unknown = request.read()
  if (chunk !== null) add(chunk)
  return bytes()
}

/**
 * Collects chunks in one buffer, up to the limit. Separate small chunks would use a multiple of
 * their bytes.
 */
function createCollector({ share, declaredBytes, maxBytes }: Limits) {
  let collected = noBytes
  let size = 0
  let pieces = 0
  const makeRoom = (needed: number): void => {
    if (needed <= collected.byteLength) return
    const room = Math.min(Math.max(needed, declaredBytes, 2 * collected.byteLength), maxBytes)
    const larger = Buffer.allocUnsafeSlow(room)
    larger.set(collected.subarray(0, size))
    collected = larger
  }
  const add = (chunk: unknown): void => {
    // A host's stream may contain anything.
    if (!(chunk instanceof Uint8Array)) throw badJson('the body is no stream of bytes')
    const needed = size + chunk.byteLength
    if (needed > maxBytes) throw bodyTooLarge(maxBytes)
    pieces += 1
    if (pieces > maxSmallPieces + needed / leastPieceBytes)
      throw badJson('the pieces are too small')
    share.reserve(needed)
    if (size === 0 && needed === declaredBytes) collected = chunk
    else {
      makeRoom(needed)
      collected.set(chunk, size)
    }
    size = needed
  }
  return { add, bytes: () => collected.subarray(0, size) }
}

/**
 * Reads the chunks of a Node request, whose web stream would cost more than the rest of a small
 * request.
 */
async function fromNode(
  request: IncomingMessage,
  limits: Limits,
  stopped: Promise<never>,
): Promise<Uint8Array> {
  // The stream of a request of HTTP/2 that the client has reset has ended, and emits no event.
  if (request.readableEnded) throw badJson('the body ended early')
  const { add, bytes } = createCollector(limits)
  const ended = Promise.withResolvers<void>()
  const onData = (chunk: unknown): void => {
    try {
      add(chunk)
    } catch (error) {
      // Parts that have arrived already are emitted at once, and each would be rejected.
      request.off('data', onData)
      ended.reject(error)
    }
  }
  let isEnded = false
  const onEnd = () => {
    isEnded = true
    // If a client of HTTP/2 resets its request, the stream ends after the parts that have arrived.
    if (request.aborted) ended.reject(new Error('the client reset the request'))
    else ended.resolve()
  }
  // Every request is closed. An error with its stack costs more than all listeners, so none is
  // created here.
  const onClose = () => {
    if (!isEnded) ended.reject(new Error('the connection ended'))
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  try {
    await Promise.race([ended.promise, stopped])
    return bytes()
  } finally {
    request.off('data', onData).off('end', onEnd).off('close', onClose)
    // The error listener remains: without it a later error would end the process. The adapter reads
    // the rest of a rejected body, or the connection ends.
    if (!request.readableEnded) request.pause()
  }
}

/** Only the developer of the host can correct this, and sees it at the first request. */
export const bodyWasRead = (): AuthError =>
  badJson('the host has read the body before it came to Latchkey')

async function fromStream(
  req: H3Event['req'],
  limits: Limits,
  stopped: Promise<never>,
): Promise<Uint8Array> {
  if (req.bodyUsed) throw bodyWasRead()
  const reader = req.body?.getReader()
  if (!reader) return noBytes
  const { add, bytes } = createCollector(limits)
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stopped])
      if (done) return bytes()
      add(value)
    }
  } catch (error) {
    // Cancelling a stream of Node would end the connection, and the response with it.
    if (req.runtime?.name !== 'node') cancelSoon(reader)
    throw error
  }
}

/**
 * Cancels a stream after the chunk that may be about to arrive: if the stream has been cancelled,
 * `Readable.toWeb` throws an exception that no caller can catch, which would end the process.
 */
function cancelSoon(reader: ReadableStreamDefaultReader): void {
  setImmediate(() => void reader.cancel().catch(() => {}))
}
