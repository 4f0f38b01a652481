import type { IncomingMessage } from 'node:http'
import type { H3Event } from 'h3'
import { AuthError } from '../errors/auth-error.ts'
import { badJson, bodyTooLarge, requestTimeout } from '../errors/request-errors.ts'
import type { BodyBudget, BodyShare } from './body-budget.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Ends the reception of the body, once the request was answered without it. */
    stopReceiving?: () => void
  }
}

/** The reception of a body, and the reading of its text. */
export interface BodyReader<T> {
  /** The most that the endpoint accepts. */
  maxBytes: number
  /** Parses the text. Runs in a turn of the event loop in which few bodies are parsed. */
  read(text: string): T
}

interface Receiver {
  bodies: BodyBudget
  /** The key of the client, by which shares of the budget are counted. */
  client: string | null
}

const utf8 = new TextDecoder()

/** A body may come in so many small pieces, and in as many more as are of this size on average: each takes as long as a large one. */
const maxSmallPieces = 256
const leastPieceBytes = 16

/** How long a body may take where the request itself has no deadline, or a later one. */
const maxReceiveMs = 30_000

/**
 * Receives a body, parses it, and runs work with the result. The body has its share of the budget of bytes until
 * the work has ended, however it ends.
 *
 * @throws AuthError `request_entity_too_large` (413) by the declared length, before anything is read, or once more has been
 *   received; `service_unavailable` (503) without room in the budget; `bad_json` (400) where the body ends early;
 *   `request_timeout` (504) where it takes too long.
 */
export async function withBody<T, R>(
  { bodies, client }: Receiver,
  event: H3Event,
  { maxBytes, read }: BodyReader<T>,
  work: (read: T) => Promise<R>,
): Promise<R> {
  const share = bodies.open(client)
  try {
    const declaredBytes = requireDeclaredLength(event, maxBytes)
    share.reserve(declaredBytes)
    const bytes = await receive(event, { share, declaredBytes, maxBytes })
    await bodies.turn(bytes.byteLength)
    return await work(read(utf8.decode(bytes)))
  } finally {
    share.release()
  }
}

/**
 * The length that a body declares; 0 for one that declares none.
 *
 * @throws AuthError `request_entity_too_large` (413) above the most that its endpoint accepts.
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

async function receive({ req, context }: H3Event, limits: Limits): Promise<Uint8Array> {
  if (bodiless.has(req.method)) return new Uint8Array()
  const request = unreadRequestOf(req)
  if (request && isReceived(request)) return readReceived(request, limits)
  const stopped = Promise.withResolvers<never>()
  const stop = () => stopped.reject(requestTimeout())
  const timer = setTimeout(stop, maxReceiveMs)
  context.stopReceiving = stop
  try {
    return await (request
      ? fromNode(request, limits, stopped.promise)
      : fromStream(req, limits, stopped.promise))
  } catch (error) {
    throw error instanceof AuthError ? error : badJson('the body ended early')
  } finally {
    clearTimeout(timer)
    delete context.stopReceiving
  }
}

const bodiless = new Set(['GET', 'HEAD'])

/** The request of Node whose body has not been read; undefined where there is none. */
function unreadRequestOf(req: H3Event['req']): IncomingMessage | undefined {
  const request = req.runtime?.name === 'node' ? req.runtime.node?.req : undefined
  return request && isUnread(request as IncomingMessage) ? (request as IncomingMessage) : undefined
}

/** Some hosts leave a body that they have read in a member of the request. */
const isUnread = (request: IncomingMessage): boolean =>
  !Object.hasOwn(request, 'rawBody') && !request.readableDidRead && !request.destroyed

/** Whether Node has received all of the body. An aborted request of HTTP/2 is complete, too. */
const isReceived = ({ complete, httpVersionMajor }: IncomingMessage): boolean =>
  complete && httpVersionMajor === 1

/** A body that was received with the head of its request, as most are, requires neither listeners nor a timer. */
function readReceived(request: IncomingMessage, limits: Limits): Uint8Array {
  const { add, bytes } = createCollector(limits)
  const chunk: unknown = request.read()
  if (chunk !== null) add(chunk)
  return bytes()
}

/**
 * Collects chunks as long as they fit, in one piece of memory: each chunk by itself would take a multiple of its bytes
 * where a client sends them one by one.
 */
function createCollector({ share, declaredBytes, maxBytes }: Limits) {
  let collected: Uint8Array = new Uint8Array()
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
    // A stream that a host made may contain anything.
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

/** The chunks of a request of Node, whose web stream would cost more than the rest of a small request. */
async function fromNode(
  request: IncomingMessage,
  limits: Limits,
  stopped: Promise<never>,
): Promise<Uint8Array> {
  const { add, bytes } = createCollector(limits)
  const ended = Promise.withResolvers<void>()
  const onData = (chunk: unknown): void => {
    try {
      add(chunk)
    } catch (error) {
      ended.reject(error)
    }
  }
  let isEnded = false
  const onEnd = () => {
    isEnded = true
    ended.resolve()
  }
  // Each request is closed, and an error with its stack costs more than all listeners.
  const onClose = () => {
    if (!isEnded) ended.reject(new Error('the connection ended'))
  }
  request.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
  try {
    await Promise.race([ended.promise, stopped])
    return bytes()
  } finally {
    request.off('data', onData).off('end', onEnd).off('close', onClose)
    // The listener for errors stays: without one, a later error would end the process. What comes
    // after a refusal is read by the adapter, or ends with the connection.
    if (!request.readableEnded) request.pause()
  }
}

async function fromStream(
  req: H3Event['req'],
  limits: Limits,
  stopped: Promise<never>,
): Promise<Uint8Array> {
  // Only its host can do something about it, and sees it at the first try.
  if (req.bodyUsed) throw badJson('the host has read the body before it came to Latchkey')
  const reader = req.body?.getReader()
  if (!reader) return new Uint8Array()
  const { add, bytes } = createCollector(limits)
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), stopped])
      if (done) return bytes()
      add(value)
    }
  } catch (error) {
    // To cancel what Node reads would end the connection, and the response with it.
    if (req.runtime?.name !== 'node') cancelSoon(reader)
    throw error
  }
}

/**
 * Cancels a stream after the chunk that it may be about to deliver: `Readable.toWeb` throws where no caller catches it
 * if the stream has been cancelled meanwhile, which would end the process.
 */
function cancelSoon(reader: ReadableStreamDefaultReader): void {
  setImmediate(() => void reader.cancel().catch(() => {}))
}
