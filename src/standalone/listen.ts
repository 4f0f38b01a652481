import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNode } from '../adapters/node.ts'
import type { Config } from '../config/config.ts'
import type { ResolvedServer } from '../config/sections/server.ts'
import type { Auth } from '../create-auth.ts'
import type { Logger } from '../observability/logger.ts'
import { type Connections, clientOfPeer, trackConnections } from './connections.ts'
import { onceBodyHasCome } from './once-body-has-come.ts'

/** How long running requests may take to end once the server is told to stop. */
const graceMs = 60_000

/** How long the headers of a request may take, from when its connection is opened or its first byte came. */
const headersTimeoutMs = 5_000
/** How much longer than its answer a request may take to come in, which then ends its connection. */
const bodyGraceMs = 5_000
/** How long a client may take nothing of its answer. */
const idleAnswerMs = 30_000
/** How many connections may wait to be taken; the system may have a lower bound. A flood fills it in no time. */
const backlog = 4_096
/** How often connections are looked at for the first two. */
const lookEveryMs = 1_000

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
  { server: settings, rateLimits, security }: Pick<Config, 'server' | 'rateLimits' | 'security'>,
): Promise<Listening> {
  const { host, port, maxConnections } = settings
  const isBehindProxy = rateLimits.header !== null || security.svcForwardedForEnabled
  const server = createServer(deadlines(settings))
  if (settings.requestTimeoutSeconds > 0) {
    server.timeout = settings.requestTimeoutSeconds * 1000 + idleAnswerMs
  }
  const connections = trackConnections(server, {
    max: maxConnections,
    clientOf: (socket) => clientOfPeer(socket, isBehindProxy),
  })
  server.on('request', onceBodyHasCome(toNode(auth), connections))
  try {
    server.listen({ port, backlog, ...(host && { host }) })
    await once(server, 'listening')
  } catch (error) {
    await auth.close()
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = remedies[String(Object(error).code)] ?? ''
    throw new ListenError(`cannot listen on ${host || '*'}:${port}: ${reason}${remedy}`)
  }
  return { url: urlOf(server), stop: () => stop(server, auth, connections) }
}

/** What Node holds a client to while it sends; where requests have no end of their own, its own five minutes. */
const deadlines = ({ requestTimeoutSeconds }: Pick<ResolvedServer, 'requestTimeoutSeconds'>) => ({
  headersTimeout: headersTimeoutMs,
  connectionsCheckingInterval: lookEveryMs,
  ...(requestTimeoutSeconds > 0 && {
    requestTimeout: Math.ceil(requestTimeoutSeconds * 1000) + bodyGraceMs,
  }),
})

async function stop(server: Server, auth: Auth, connections: Connections): Promise<void> {
  const closed = new Promise((done) => server.close(done))
  connections.release()
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
