import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { findClient } from '../../limits/client-address.ts'
import { networksOf } from '../../platform/kit/client-networks.ts'
import { createConnectionRate, partOfNetwork } from './connection-rate.ts'

/** The connection limit of a server. */
export interface ConnectionCeiling {
  /** 0 disables the limit. */
  max: number
  /** Returns the client of a connection; null if clients cannot be distinguished. */
  clientOf(socket: Socket): string | null
}

export interface Connections {
  /** Reports whether more than half of the places are in use. */
  areScarce(): boolean
  /**
   * Sends `Connection: close` with the responses of running and later requests, so that each
   * connection ends after its next response.
   */
  release(): void
  /**
   * Ends the connections without a running request, unless another connection has one: the server
   * still runs then, and their next request can be answered.
   */
  endIdle(): void
  /** Responds 503 to the requests whose bodies are incomplete, and closes their connections. */
  endIncomplete(): void
}

/** The response to a request whose body is incomplete when the server ends. */
const incompleteResponse =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/** The time in which a client closes a connection that the server has ended. */
const closingMs = 1_000

/**
 * The most requests of one connection that wait for their responses. Clients rarely send a request
 * before the response to the last one, and one read of a socket can contain thousands.
 */
const maxPipelined = 16

/** Connections that compete for places: the connections of one network, or all. */
interface Group {
  network: string | null
  places: number
  count: number
  /** Connections that have not sent a whole request yet, in the order in which they were opened. */
  unfinished: Set<Socket>
  /** Connections without a running request, in the order in which the last one ended. */
  resting: Set<Socket>
}

/**
 * Limits the connections of a server. Each client gets at most half of them, and the wider networks
 * around it five and six eighths, so that a flood from one network leaves places to its neighbours
 * and to all others.
 *
 * At the limit, a new connection replaces another one: the oldest that has not sent a whole
 * request, as in a flood; otherwise the one that has been idle longest. The new one is closed only
 * if all others have a running response. A network beyond its places replaces connections of its
 * own.
 *
 * A connection with more than {@link maxPipelined} unanswered requests is closed, whatever the
 * limit, and so is one of a network that opens too many per second.
 *
 * While a server stops, a client may send a request on a kept connection at any time. It is
 * answered with `Connection: close`, since a client cannot distinguish a connection that ends
 * without a response from a failed request. `Server.close` of Node closes idle connections at once.
 */
export function trackConnections(
  server: Server,
  { max, clientOf }: ConnectionCeiling,
): Connections {
  let isReleasing = false
  const running = new Map<Socket, Set<ServerResponse>>()
  const allConnections = openGroup(null, max)
  const networks = new Map<string, Group>()
  const groupsOf = new Map<Socket, readonly Group[]>()
  const rate = createConnectionRate(max)

  const groupOf = (network: string, level: number): Group => {
    const group = networks.get(network) ?? openGroup(network, Math.ceil(max * partOfNetwork(level)))
    networks.set(network, group)
    return group
  }
  const leave = (socket: Socket): void => {
    for (const group of groupsOf.get(socket) ?? []) {
      group.count -= 1
      group.unfinished.delete(socket)
      group.resting.delete(socket)
      if (group.count === 0 && group.network !== null) networks.delete(group.network)
    }
    groupsOf.delete(socket)
  }
  const makeRoom = ({ unfinished, resting }: Group, accepted: Socket): void => {
    const [oldest = accepted] = unfinished.size > 0 ? unfinished : resting
    leave(oldest)
    oldest.destroy()
  }
  const mark = (socket: Socket, within: (group: Group) => void): void => {
    for (const group of groupsOf.get(socket) ?? []) within(group)
  }

  server.on('connection', (socket) => {
    const client = max > 0 ? clientOf(socket) : null
    if (client !== null && !rate.admits(client, performance.now())) {
      socket.destroy()
      return
    }
    const own =
      client === null ? [] : networksOf(client).map(({ key }, level) => groupOf(key, level))
    const groups = [...own, allConnections]
    groupsOf.set(socket, groups)
    for (const group of groups) group.count += 1
    for (const group of groups) {
      if (max > 0 && group.count > group.places) makeRoom(group, socket)
    }
    mark(socket, ({ unfinished }) => unfinished.add(socket))
    socket.once('close', () => {
      // In Node 20, responses that wait behind another one emit no event when their connection
      // ends.
      running.delete(socket)
      leave(socket)
    })
  })
  server.on('request', (request, response) => {
    const { socket } = request
    const ofSocket = running.get(socket) ?? new Set()
    // A response can no longer be sent on a connection that was ended.
    if (ofSocket.size >= maxPipelined || socket.writableEnded) socket.destroy()
    if (socket.destroyed) {
      stopParsing(socket)
      return
    }
    const hasCome = () => mark(socket, ({ unfinished }) => unfinished.delete(socket))
    if (isReleasing) response.shouldKeepAlive = false
    running.set(socket, ofSocket.add(response))
    mark(socket, ({ resting }) => resting.delete(socket))
    if (hasBody(request)) {
      // Keeps its place in the order in which connections were opened.
      mark(socket, ({ unfinished }) => unfinished.add(socket))
      request.once('end', hasCome)
    } else {
      hasCome()
    }
    response.once('close', () => {
      ofSocket.delete(response)
      if (ofSocket.size === 0) running.delete(socket)
      hasCome()
      if (!socket.destroyed) mark(socket, ({ resting }) => resting.add(socket))
    })
  })
  return {
    areScarce: () => max > 0 && allConnections.count > max / 2,
    release: () => {
      isReleasing = true
      for (const responses of running.values()) {
        for (const response of responses) response.shouldKeepAlive = false
      }
    },
    endIdle: () => {
      if (running.size > 0) return
      for (const socket of groupsOf.keys()) {
        if (socket.writableEnded) continue
        socket.end()
        // Closed at once, a request of the client that is under way would be answered with a reset.
        setTimeout(() => socket.destroy(), closingMs).unref()
      }
    },
    endIncomplete: () => {
      for (const [socket, [response, ...later]] of running) {
        // An incomplete request is the last one of its connection.
        if (!response || later.length > 0 || response.req.complete) continue
        if (!response.headersSent) socket.write(incompleteResponse)
        socket.destroySoon()
      }
    },
  }
}

/** The parser of a connection of Node, which its documentation does not list. */
interface Parser {
  /**
   * Begins a request. Returns 2 where its connection changes to another protocol, so that the
   * parser stops.
   */
  onIncoming?: ((request: IncomingMessage & { upgrade?: boolean }) => number) | null
}

/**
 * Stops the parser of a closed connection at the next request. Otherwise it continues to the end of
 * the data that was read, which may contain thousands of requests, and Node creates an error for
 * each. Without such a parser, Node still does.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { parser?: Parser | null }
  if (typeof parser?.onIncoming === 'function') parser.onIncoming = endOfHttp
}

const endOfHttp: NonNullable<Parser['onIncoming']> = (request) => {
  // Otherwise Node passes the connection on to a listener for upgrades.
  request.upgrade = false
  return 2
}

const openGroup = (network: string | null, places: number): Group => ({
  network,
  places,
  count: 0,
  unfinished: new Set<Socket>(),
  resting: new Set<Socket>(),
})

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Returns the client of a connection by its peer address. Request headers come too late and any
 * client can set them. A private peer is a proxy, which all clients share; so is a public one if
 * the operator declared a proxy.
 */
export function clientOfPeer(
  { remoteAddress }: Pick<Socket, 'remoteAddress'>,
  isBehindProxy: boolean,
): string | null {
  if (isBehindProxy) return null
  const needs = { header: () => null, peer: remoteAddress ?? null }
  return findClient(needs, { header: null, proxyHops: 0, forwardedFor: false }).key()
}
