import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/**
 * Handles the requests of one connection one after another, and none after it has ended. Their
 * responses are sent in that order anyway. Otherwise a client that sends many requests and
 * reconnects would have all of them handled.
 */
export function inOrder(handle: Handle): Handle {
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
