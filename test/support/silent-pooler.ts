import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { readMessages } from './wire-messages.ts'

/** A pooler that passes on everything except notifications, as in transaction mode. */
export interface SilentPooler {
  /** The URL of the database through it. */
  url: string
  /** The number of notifications that it dropped. */
  dropped(): number
  close(): Promise<void>
}

/** The type of a NotificationResponse. @see PostgreSQL, "Message Formats" */
const notification = 'A'

export async function startSilentPooler(databaseUrl: string): Promise<SilentPooler> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let dropped = 0
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname)
    const pass = readMessages(({ type, body }) => {
      if (type === notification) {
        dropped += 1
        return
      }
      const header = Buffer.alloc(5)
      header.write(type, 'latin1')
      header.writeInt32BE(body.length + 4, 1)
      client.write(Buffer.concat([header, body]))
    })
    client.pipe(upstream)
    upstream.on('data', pass)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  url.searchParams.set('sslmode', 'disable')
  return {
    url: url.href,
    dropped: () => dropped,
    close: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, 'close')
    },
  }
}
