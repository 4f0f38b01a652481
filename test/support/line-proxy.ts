import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Who says something. */
export type Side = 'client' | 'server'

/** What stands between a client and a server, tells what it hears, and passes it on or not. */
export interface LineProxy {
  port: number
  /** Ends every call that there is. */
  hangUp(): void
  /** Hangs up, and listens no more: who calls is refused. */
  stop(): Promise<void>
  /** Listens again, on the same port. */
  resume(): Promise<void>
}

/** Opens a line's ear: who said what, as it comes; `pass` hands it on, now, later or never. */
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
        // What was passed on just before is still delivered.
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
