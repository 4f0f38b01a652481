import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
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

const otherPort = 'set AUTH_API_PORT to another port, or to 0 for any free one'

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: `. Another process listens there: stop it, or ${otherPort}`,
  EACCES: `. This user may not listen there: ${otherPort}`,
  EADDRNOTAVAIL: '. This machine has no such address: AUTH_API_HOST says which to listen on',
}

export interface Listening {
  /** Where it listens: `http://127.0.0.1:8081`. */
  url: string
  /** Lets running requests end, 60 seconds at most, then closes everything. */
  stop(): Promise<void>
}

/**
 * Serves over HTTP.
 *
 * @throws ListenError when the port cannot be had; `auth` is closed then.
 */
export async function listen(
  auth: Auth,
  { host, port }: { host: string; port: number },
): Promise<Listening> {
  const server = createServer(toNode(auth))
  const release = keepTrack(server)
  try {
    server.listen({ port, ...(host && { host }) })
    await once(server, 'listening')
  } catch (error) {
    await auth.close()
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = remedies[String(Object(error).code)] ?? ''
    throw new ListenError(`cannot listen on ${host || '*'}:${port}: ${reason}${remedy}`)
  }
  return { url: urlOf(server), stop: () => stop(server, auth, release) }
}

/**
 * Returns what lets go of connections that would keep the server from ending. Node itself ends those
 * between two requests; it waits for one that never carried any, as browsers and balancers keep ready,
 * and keeps one open whose answer was under way.
 */
function keepTrack(server: Server): () => void {
  const unused = new Set<Socket>()
  const running = new Set<ServerResponse>()
  server.on('connection', (socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    unused.delete(socket)
    running.add(response)
    response.once('close', () => running.delete(response))
  })
  return () => {
    for (const socket of unused) socket.destroy()
    for (const response of running) response.shouldKeepAlive = false
  }
}

async function stop(server: Server, auth: Auth, release: () => void): Promise<void> {
  const closed = new Promise((done) => server.close(done))
  release()
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
