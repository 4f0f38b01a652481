import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { toNode } from '../adapters/node.ts'
import type { Auth } from '../create-auth.ts'
import type { Logger } from '../observability/logger.ts'

/** How long running requests may take to end once the server is told to stop. */
const graceMs = 60_000

/** The port cannot be had. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

export interface Listening {
  /** Where it listens: `http://127.0.0.1:8081`. */
  url: string
  /** Lets running requests end, 60 seconds at most, then closes everything. */
  stop(): Promise<void>
}

/** Serves over HTTP. */
export async function listen(
  auth: Auth,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer(toNode(auth))
  const unused = unusedConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new ListenError(`cannot listen on ${host || '*'}:${port}: ${error.message}`)),
    )
    server.listen({ port, ...(host && { host }) }, resolve)
  })
  return { url: urlOf(server), stop: () => stop(server, auth, unused) }
}

/**
 * The connections that have not asked for anything yet, as browsers and balancers keep them ready. Node
 * takes them for busy, and would wait for them at the end.
 */
function unusedConnections(server: Server): ReadonlySet<Socket> {
  const unused = new Set<Socket>()
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
  return unused
}

async function stop(server: Server, auth: Auth, unused: ReadonlySet<Socket>): Promise<void> {
  const closed = new Promise((done) => server.close(done))
  for (const socket of unused) socket.destroy()
  const impatience = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(impatience)
  await auth.close()
}

/** Stops at the first signal; a second one ends the process at once. */
export function stopOnSignal(listening: Listening, logger: Logger): void {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    logger.info({ signal }, 'stopping: running requests may end')
    listening.stop().then(
      () => logger.info({}, 'stopped'),
      (error) => {
        logger.error({ reason: String(error) }, 'stopped uncleanly')
        process.exitCode = 1
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, onSignal)
}

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  const host = address === '::' || address === '0.0.0.0' ? 'localhost' : address
  return `http://${family === 'IPv6' && host !== 'localhost' ? `[${host}]` : host}:${port}`
}
