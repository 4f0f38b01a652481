import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { readMessages, readStrings } from './wire-messages.ts'

/** A statement as the client sent it: by itself, or by the name under which it was prepared. */
export interface SentStatement {
  /** Without what follows a colon, which tells one text from another. */
  name: string | null
  text: string
}

/** What stands between a pool and PostgreSQL, counts what passes, and can break the line. */
export interface WireProxy {
  /** The database's URL by way of the proxy. */
  url: string
  /**
   * What was answered since the last `reset`: `statements` is each CommandComplete, BEGIN and
   * COMMIT too; `trips` is each ReadyForQuery, save the one that ends a connection's start. What
   * failed is a trip without a statement.
   */
  counts(): { statements: number; trips: number }
  /** What was sent since the last `reset`, in order. */
  statements(): SentStatement[]
  reset(): void
  /** Breaks every connection. */
  cut(): void
  /** Ends every connection, as a pooler does that has waited for long enough: without a word, and without an error. */
  hangUp(): void
  /** Lets nothing more through on the connections that there are, without breaking them. */
  freeze(): void
  /** Breaks each new connection at once, until `allow`. */
  refuse(): void
  /** Takes each new connection and says nothing on it, until `allow`. */
  ignore(): void
  allow(): void
  /** Breaks every connection and ends the proxy. */
  close(): Promise<void>
}

/**
 * Starts a proxy on a free port of 127.0.0.1. It offers no TLS, so that it can read along.
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

/** Lets sockets end together. */
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

/** SSLRequest and GSSENCRequest: they stand where other first messages state a version. */
const encryptionRequests = [80877103, 80877104]

/** Answers each wish for encryption with no, then leaves the client's first message to `begin`. */
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

/** Notices what a client executes: simple queries, and prepared ones each time they are bound. */
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
