import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A handler that listens on its own port. */
export interface ServedCommand {
  /** `http://127.0.0.1:…`, without a slash at its end. */
  url: string
  port: number
  close(): Promise<void>
}

/**
 * @param host the address to listen on: `::` also accepts IPv4, whose addresses are mapped to IPv6
 *   then.
 */
export async function serve(handler: RequestListener, host = '127.0.0.1'): Promise<ServedCommand> {
  const server = createServer(handler).listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
