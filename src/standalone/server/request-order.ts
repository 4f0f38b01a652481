import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type Connections, hasBody } from './connections.ts'

/**
 * Handles the requests of one connection one after another, and none after it has ended. Their
 * responses are sent in that order anyway. Otherwise a client that sends many requests and
 * reconnects would have all of them handled.
 */
export function inOrder(handle: HandleRequest): HandleRequest {
  const lasts = new WeakMap<Socket, Promise<void>>()
  return (request, response) => {
    const { socket } = request
    const next = async () => {
      if (!socket.destroyed) await handle(request, response)
    }
    const done = lasts.get(socket)?.then(next, next) ?? handle(request, response)
    lasts.set(socket, done)
    return done
  }
}

type HandleRequest = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The longest time for which an incomplete body delays its request. */
const patienceMs = 1_000
/** The interval of checks of bodies that were not received with their headers. */
const lookEveryMs = 25
/**
 * The most requests without a whole body that are begun at a time, so that a flood of them does not
 * block the event loop.
 */
const begunAtOnce = 10

/**
 * Handles a request at once or, while connections are scarce, after its body is received or a
 * second has passed.
 *
 * Closing a connection whose request has not begun costs almost nothing. A flood of slow bodies is
 * then replaced as fast as it is received, and other clients do not wait long.
 */
export function afterBodyReceived(handle: HandleRequest, connections: Connections): HandleRequest {
  const held = new Map<IncomingMessage, { begin: () => void; until: number }>()
  let looking: NodeJS.Timeout | undefined

  const look = (): void => {
    const now = performance.now()
    let begun = 0
    for (const [request, { begin, until }] of held) {
      const isLate = now >= until && begun < begunAtOnce
      if (!request.destroyed && !isBodyReceived(request) && !isLate) continue
      held.delete(request)
      if (request.destroyed) continue
      begun += 1
      begin()
    }
    if (held.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  return async (request, response) => {
    // The connection was closed because it sent too many requests at once.
    if (request.socket.destroyed) return
    if (!connections.areScarce() || !hasBody(request)) return handle(request, response)
    // Most bodies are sent with their headers, but Node reads them later.
    await new Promise((resolve) => setImmediate(resolve))
    if (!request.destroyed && !isBodyReceived(request)) {
      await new Promise<void>((begin) => {
        held.set(request, { begin, until: performance.now() + patienceMs })
        looking ??= setInterval(look, lookEveryMs)
      })
    }
    if (!request.destroyed) await handle(request, response)
  }
}

/** Reports whether the body was received, or as much of it as Node buffers before it is read. */
const isBodyReceived = ({ complete, readableLength, readableHighWaterMark }: IncomingMessage) =>
  complete || readableLength >= readableHighWaterMark
