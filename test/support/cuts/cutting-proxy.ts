import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { readMessages } from '../wire-messages.ts'

/** The moment of a cut: the message is not delivered, or it is the last one delivered. */
export type CutMoment = 'before' | 'after'

/** A proxy between a pool and PostgreSQL that ends a connection at one message. */
export interface CuttingProxy {
  /** The URL of the database through the proxy. */
  url: string
  /** Ends the connection of the message with this number, counted from 1 on all connections. */
  cutAt(number: number, moment: CutMoment): void
  /**
   * Ends the search for the message.
   *
   * @returns the message at which a connection ended, such as `client B`; null where there were
   *   fewer messages.
   */
  disarm(): string | null
  /** Closes each new connection at once, until `allow`. */
  refuse(): void
  allow(): void
  close(): Promise<void>
}

/** Starts a proxy on a free port of 127.0.0.1. It offers no TLS, so that it can read messages. */
export async function startCuttingProxy(databaseUrl: string): Promise<CuttingProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let order: { left: number; moment: CutMoment } | null = null
  let cut: string | null = null
  let isRefusing = false

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    const upstream = connect(Number(target.port || 5432), target.hostname)
    let isOver = false
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        for (const one of [client, upstream]) one.destroy()
      })
    }
    const pass = (to: Socket, bytes: Buffer, name: string) => {
      if (isOver) return
      if (order) order.left -= 1
      if (order?.left !== 0) return void to.write(bytes)
      isOver = true
      cut = name
      if (order.moment === 'before') {
        upstream.destroy()
        client.resetAndDestroy()
      } else {
        // Bytes of the other direction are discarded, and the other end sees them as sent.
        to.end(bytes, () => {
          upstream.end()
          client.end()
        })
      }
    }
    upstream.on(
      'data',
      readMessages(({ type, bytes }) => pass(client, bytes, `server ${type}`)),
    )
    // The first message has no type: a byte in its place is removed again.
    let isFirst = true
    const readClient = readMessages(({ type, bytes }) => {
      pass(
        upstream,
        isFirst ? bytes.subarray(1) : bytes,
        isFirst ? 'client start' : `client ${type}`,
      )
      isFirst = false
    })
    readClient(Buffer.alloc(1))
    client.on('data', readClient)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url.href,
    cutAt: (left, moment) => {
      order = { left, moment }
      cut = null
    },
    disarm: () => {
      order = null
      return cut
    },
    refuse: () => {
      isRefusing = true
    },
    allow: () => {
      isRefusing = false
    },
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
