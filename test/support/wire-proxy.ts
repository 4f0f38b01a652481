import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { readMessages, readStrings } from './wire-messages.ts'

/** A statement of the client: a simple query, or the name of a prepared one. */
export interface SentStatement {
  /** The name without the digest after its colon. */
  name: string | null
  text: string
}

/**
 * A proxy between a pool and PostgreSQL that counts statements and trips, and can break
 * connections.
 */
export interface WireProxy {
  /** The database's URL through the proxy. */
  url: string
  /**
   * Returns the counts since the last `reset`: `statements` counts each CommandComplete, BEGIN and
   * COMMIT too; `trips` counts each ReadyForQuery, except the one at the start of a connection. A
   * failed statement is a trip without a statement.
   */
  counts(): { statements: number; trips: number }
  /** Returns the statements since the last `reset`, in order. */
  statements(): SentStatement[]
  reset(): void
  /** Breaks every connection. */
  cut(): void
  /** Closes every connection silently, as a pooler does after a timeout. */
  hangUp(): void
  /** Stops all data on the existing connections, without closing them. */
  freeze(): void
  /** Closes each new connection at once, until `allow`. */
  refuse(): void
  /** Accepts each new connection without a response, until `allow`. */
  ignore(): void
  allow(): void
  /** Breaks every connection and ends the proxy. */
  close(): Promise<void>
}

/**
 * Starts a proxy on a free port of 127.0.0.1. It offers no TLS, so that it can read the data.
 *
 * @param target `postgres://…` of the real database, with host and port.
 */
export async function startWireProxy(target: string): Promise<WireProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let statements = 0
  let trips = 0
  let sent: SentStatement[] = []
  let mood: 'refuse' | 'ignore' | 'allow' = 'allow'

  const server = createServer((client) => {
    if (mood === 'refuse') return void client.resetAndDestroy()
    if (mood === 'ignore') return tie([client], sockets)
    const upstream = connect(Number(port || 5432), hostname)
    tie([client, upstream], sockets)
    whenStarting(client, () => {
      let started = false
      const readServer = readMessages(({ type }) => {
        if (type === 'C') statements += 1
        if (type === 'Z' && started) trips += 1
        if (type === 'Z') started = true
      })
      const readClient = statementReader((statement) => sent.push(statement))
      upstream.on('data', readServer).pipe(client)
      client.on('data', readClient).pipe(upstream)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy()
  }
  return {
    url: url.href,
    counts: () => ({ statements, trips }),
    statements: () => sent,
    reset: () => {
      statements = 0
      trips = 0
      sent = []
    },
    cut,
    hangUp: () => {
      for (const socket of sockets) socket.destroy()
    },
    freeze: () => {
      for (const socket of sockets) {
        socket.unpipe()
        socket.pause()
      }
    },
    refuse: () => {
      mood = 'refuse'
    },
    ignore: () => {
      mood = 'ignore'
    },
    allow: () => {
      mood = 'allow'
    },
    close: async () => {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}

/** Closes sockets together. */
function tie(together: Socket[], sockets: Set<Socket>): void {
  for (const socket of together) {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      for (const each of together) each.destroy()
    })
  }
}

/** The codes of SSLRequest and GSSENCRequest, in place of the version in other first messages. */
const encryptionRequests = [80877103, 80877104]

/** Rejects encryption requests, then passes the client's first message to `begin`. */
function whenStarting(client: Socket, begin: () => void): void {
  const onReadable = () => {
    for (let head = client.read(8); head !== null; head = client.read(8)) {
      if (encryptionRequests.includes(head.readInt32BE(4))) {
        client.write('N')
        continue
      }
      client.off('readable', onReadable)
      client.unshift(head)
      begin()
      return
    }
  }
  client.on('readable', onReadable)
}

/** Reports the executed statements of a client: simple queries, and prepared ones at each bind. */
function statementReader(onStatement: (statement: SentStatement) => void) {
  const prepared = new Map<string, string>()
  const read = readMessages(({ type, body }) => {
    if (type === 'Q') {
      const [text = ''] = readStrings(body, 1)
      onStatement({ name: null, text })
    }
    if (type === 'P') {
      const [name = '', text = ''] = readStrings(body, 2)
      prepared.set(name, text)
    }
    if (type === 'B') {
      const [, name = ''] = readStrings(body, 2)
      onStatement({ name: name.split(':')[0] || null, text: prepared.get(name) ?? '' })
    }
  })
  read(Buffer.alloc(1))
  return read
}
