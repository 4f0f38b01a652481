import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { findClient } from '../limits/client-address.ts'

/** How many connections a server takes. */
export interface ConnectionCeiling {
  /** 0 sets no ceiling. */
  max: number
  /** Whose connection it is; null where clients cannot be told apart. */
  clientOf(socket: Socket): string | null
}

export interface Connections {
  /** Whether more than half of the places are taken. */
  areScarce(): boolean
  /** Lets go of those that would keep a server from ending. */
  release(): void
}

/** Connections that compete for places: those of one client, or of all. */
interface Group {
  client: string | null
  places: number
  count: number
  /** Those that have not sent a whole request yet, in the order in which they were opened. */
  unfinished: Set<Socket>
  /** Those that rest between two requests, in the order in which they began to. */
  resting: Set<Socket>
}

/**
 * Holds a server to so many connections, and each client to half of them.
 *
 * Beyond the ceiling a connection makes room for the next: the oldest that has not sent a whole request
 * yet, as those of a flood do not; else the one that rests longest between two. Only where each has an
 * answer under way, the new one is closed. A client beyond its half makes room among its own.
 *
 * Node itself, ending, closes connections that rest between two requests; it waits for one that never
 * carried any, as browsers and balancers keep ready, and keeps one open whose answer was under way.
 */
export function trackConnections(
  server: Server,
  { max, clientOf }: ConnectionCeiling,
): Connections {
  const unused = new Set<Socket>()
  const running = new Set<ServerResponse>()
  const everybody = openGroup(null, max)
  const clients = new Map<string, Group>()
  const groupsOf = new Map<Socket, readonly Group[]>()

  const groupOf = (client: string): Group => {
    const group = clients.get(client) ?? openGroup(client, Math.ceil(max / 2))
    clients.set(client, group)
    return group
  }
  const leave = (socket: Socket): void => {
    for (const group of groupsOf.get(socket) ?? []) {
      group.count -= 1
      group.unfinished.delete(socket)
      group.resting.delete(socket)
      if (group.count === 0 && group.client !== null) clients.delete(group.client)
    }
    groupsOf.delete(socket)
  }
  const makeRoom = ({ unfinished, resting }: Group, newcomer: Socket): void => {
    const [oldest = newcomer] = unfinished.size > 0 ? unfinished : resting
    leave(oldest)
    oldest.destroy()
  }
  const mark = (socket: Socket, within: (group: Group) => void): void => {
    for (const group of groupsOf.get(socket) ?? []) within(group)
  }

  server.on('connection', (socket) => {
    const client = max > 0 ? clientOf(socket) : null
    const groups = client === null ? [everybody] : [groupOf(client), everybody]
    groupsOf.set(socket, groups)
    for (const group of groups) group.count += 1
    for (const group of groups) {
      if (max > 0 && group.count > group.places) makeRoom(group, socket)
    }
    unused.add(socket)
    mark(socket, ({ unfinished }) => unfinished.add(socket))
    socket.once('close', () => {
      unused.delete(socket)
      leave(socket)
    })
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const hasCome = () => mark(socket, ({ unfinished }) => unfinished.delete(socket))
    unused.delete(socket)
    running.add(response)
    mark(socket, ({ resting }) => resting.delete(socket))
    if (hasBody(request)) {
      // It keeps its place by when it was opened.
      mark(socket, ({ unfinished }) => unfinished.add(socket))
      request.once('end', hasCome)
    } else {
      hasCome()
    }
    response.once('close', () => {
      running.delete(response)
      hasCome()
      if (!socket.destroyed) mark(socket, ({ resting }) => resting.add(socket))
    })
  })
  return {
    areScarce: () => max > 0 && everybody.count > max / 2,
    release: () => {
      for (const socket of unused) socket.destroy()
      for (const response of running) response.shouldKeepAlive = false
    },
  }
}

const openGroup = (client: string | null, places: number): Group => ({
  client,
  places,
  count: 0,
  unfinished: new Set<Socket>(),
  resting: new Set<Socket>(),
})

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Whose connection it is, by its peer alone: what a request says comes too late, and from anybody. A private
 * peer is a proxy's, behind which everybody is; a public one too, where the operator declared a proxy.
 */
export function clientOfPeer(
  { remoteAddress }: Pick<Socket, 'remoteAddress'>,
  isBehindProxy: boolean,
): string | null {
  if (isBehindProxy) return null
  const needs = { header: () => null, peer: remoteAddress ?? null }
  return findClient(needs, { header: null, proxyHops: 0, forwardedFor: false }).key()
}
