import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Connections, hasBody } from './connections.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** How long a body may keep its request from being handled. */
const patienceMs = 1_000
/** How often bodies that did not come with their headers are looked at. */
const lookEveryMs = 25
/** How many requests without a whole body are begun at a time, so that a flood of them does not hold the loop. */
const begunAtOnce = 10

/**
 * Handles a request at once, or, where places are scarce, once its body has come or a second has passed.
 *
 * What has to make room for others before that costs nearly nothing then, so that a flood of bodies in
 * drops is let in and thrown out as fast as it comes, and whoever waits behind it does not wait long.
 */
export function onceBodyHasCome(handle: Handle, connections: Connections): Handle {
  const held = new Map<IncomingMessage, { begin: () => void; until: number }>()
  let looking: NodeJS.Timeout | undefined

  const look = (): void => {
    const now = performance.now()
    let begun = 0
    for (const [request, { begin, until }] of held) {
      const isLate = now >= until && begun < begunAtOnce
      if (!request.destroyed && !hasComeEnough(request) && !isLate) continue
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
    // What was received together with too many others, on a connection that was closed for it.
    if (request.socket.destroyed) return
    if (!connections.areScarce() || !hasBody(request)) return handle(request, response)
    // Most bodies come with their headers, but are read after them.
    await new Promise((resolve) => setImmediate(resolve))
    if (!request.destroyed && !hasComeEnough(request)) {
      await new Promise<void>((begin) => {
        held.set(request, { begin, until: performance.now() + patienceMs })
        looking ??= setInterval(look, lookEveryMs)
      })
    }
    if (!request.destroyed) await handle(request, response)
  }
}

/** All of it, or as much as Node takes before somebody reads. */
const hasComeEnough = ({ complete, readableLength, readableHighWaterMark }: IncomingMessage) =>
  complete || readableLength >= readableHighWaterMark
