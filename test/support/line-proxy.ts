import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** The sender of data. */
export type Side = 'client' | 'server'

/** A proxy between a client and a server that observes their data, and passes it on or not. */
export interface LineProxy {
  port: number
  /** Closes all connections. */
  hangUp(): void
  /** Closes all connections, and rejects new ones. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  resume(): Promise<void>
}

/**
 * Creates the observer of a connection: it receives sender and data; `pass` passes the data on,
 * now, later or never.
 */
export type Ear = () => (side: Side, chunk: Buffer, pass: () => void) => void

/** @param target a port of 127.0.0.1. */
export async function startLineProxy(target: number, openEar: Ear): Promise<LineProxy> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    const hear = openEar()
    relay('client', client, upstream)
    relay('server', upstream, client)

    function relay(side: Side, from: Socket, to: Socket): void {
      sockets.add(from)
      from.on('data', (chunk) => hear(side, chunk, () => void to.write(chunk)))
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        // Data that was passed on before is still delivered.
        to.end()
      })
    }
  })
  const listen = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  const hangUp = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    hangUp,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      hangUp()
      await closed
    },
    resume: () => listen(port),
  }
}
