import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Holds a server to so many connections, and returns what lets go of those that would keep it from ending.
 *
 * Beyond the ceiling a connection makes place for the next: the oldest that has not sent a whole request
 * yet, as those of a flood do not; else the one that rests longest between two. Only where each has an
 * answer under way, the new one is closed.
 *
 * Node itself, ending, closes connections that rest between two requests; it waits for one that never
 * carried any, as browsers and balancers keep ready, and keeps one open whose answer was under way.
 *
 * @param max 0 sets no ceiling.
 */
export function keepTrack(server: Server, max: number): () => void {
  // Each remembers the order in which they came.
  const unused = new Set<Socket>()
  const unfinished = new Set<Socket>()
  const resting = new Set<Socket>()
  const running = new Set<ServerResponse>()
  let count = 0

  server.on('connection', (socket) => {
    count += 1
    socket.once('close', () => {
      count -= 1
      for (const kind of [unused, unfinished, resting]) kind.delete(socket)
    })
    if (max > 0 && count > max && !makePlace(unfinished, resting)) socket.destroy()
    else for (const kind of [unused, unfinished]) kind.add(socket)
  })
  server.on('request', (request, response) => {
    const { socket } = request
    unused.delete(socket)
    resting.delete(socket)
    running.add(response)
    if (hasBody(request)) {
      // It keeps its place by when it was opened.
      unfinished.add(socket)
      request.once('end', () => unfinished.delete(socket))
    } else {
      unfinished.delete(socket)
    }
    response.once('close', () => {
      running.delete(response)
      unfinished.delete(socket)
      if (!socket.destroyed) resting.add(socket)
    })
  })
  return () => {
    for (const socket of unused) socket.destroy()
    for (const response of running) response.shouldKeepAlive = false
  }
}

function makePlace(...kinds: readonly Set<Socket>[]): boolean {
  for (const kind of kinds) {
    const [oldest] = kind
    if (!oldest) continue
    kind.delete(oldest)
    oldest.destroy()
    return true
  }
  return false
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
