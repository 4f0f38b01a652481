import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, Server as SocketServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as sleep, setImmediate as turnOfLoop } from 'node:timers/promises'
import { toNode } from '../../hosts/adapters/node.ts'
import type { Config } from '../../platform/config/config.ts'
import { type AnswerRequest, answering } from '../../platform/http/answer.ts'
import { answerStopping } from '../../platform/http/answer-outside-app.ts'
import { builtIn } from '../../platform/kit/built-in.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Auth } from '../../service/api/auth.ts'
import { type Connections, clientOfPeer, trackConnections } from './connections.ts'
import { connectionsWithin } from './open-files.ts'
import { afterBodyReceived, inOrder } from './request-order.ts'
import { answerOf } from './with-subscribe-pages.ts'

/** The time that running requests get to end once the server stops. */
const graceMs = 60_000

/** Time limits for the connections of a server that ends. */
export interface EndLimits {
  /**
   * The time for which kept connections remain open. A client that uses one sends its next request
   * within this time, and opens another connection afterwards.
   */
  lingerMs: number
  /** The time limit for receiving the rest of a body; null for that of the running server. */
  bodyMs: number | null
}

/** The limits of a server that stops. The command ends within eight seconds after held bodies. */
export const stoppedLimits: EndLimits = { lingerMs: 2_000, bodyMs: 4_000 }
/** The interval of checks whether idle connections can be ended. */
const lookForIdleEveryMs = 50

/** The time limit for a request's headers, from the opening of its connection or its first byte. */
const headersTimeoutMs = 5_000
/**
 * The time by which receiving a request may exceed the time limit of its response. The connection
 * is closed then.
 */
const bodyGraceMs = 5_000
/** The time limit for receiving a request whose response has none: Node's default. */
const longestRequestMs = 300_000
/** The longest time in which a client may read no part of its response. */
const idleAnswerMs = 30_000
/**
 * The number of connections that may wait to be accepted; the system may have a lower limit. A
 * flood fills the queue at once.
 */
const backlog = 4_096
/** The interval of checks of the first two limits. */
const lookEveryMs = 1_000

/** The port is not available. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
}

const otherPort = 'set AUTH_API_PORT to another port, or to 0 for any free one'

const remedies: Readonly<Record<string, string>> = {
  EADDRINUSE: `. Another process listens there: stop it, or ${otherPort}`,
  EACCES: `. This user may not listen there: ${otherPort}`,
  EADDRNOTAVAIL: '. This machine has no such address: set AUTH_API_HOST to one that it has',
}

/** Returns the error of a listener, with the remedy. */
export function listenError(
  error: unknown,
  { host, port }: { host: string; port: number },
): ListenError {
  const reason = error instanceof Error ? error.message : String(error)
  const remedy = remedies[String(Object(error).code)] ?? ''
  return new ListenError(`cannot listen on ${host || '*'}:${port}: ${reason}${remedy}`)
}

type Deadlines = Pick<Config, 'server' | 'rateLimits' | 'security'>
type Settings = Deadlines & Pick<Config, 'basePath'>

export interface Listening {
  /** The address it listens on: `http://127.0.0.1:8081`. */
  url: string
  /** All addresses of this machine on which it accepts connections. */
  addresses: string[]
  /** Applies the time limits of new settings to clients. */
  follow(settings: Deadlines): void
  /**
   * Returns 503 for `/ready`, and closes the listener after `shutdownDelaySeconds`. Then it answers
   * requests on kept connections with `Connection: close`, waits for running requests, 60 seconds
   * at most, and closes everything.
   */
  stop(): Promise<void>
  /** The steps of {@link stop}, which several processes take together. */
  stopping: {
    /** Returns 503 for `/ready`. */
    announce(): void
    /** Closes the listener. Kept connections remain. */
    refuseConnections(): Promise<void>
    /** Ends the kept connections, each after its next response, and closes everything. */
    end(limits: EndLimits): Promise<void>
  }
}

interface ListenOptions {
  wait?: (ms: number) => Promise<unknown>
  limits?: Partial<EndLimits>
}

/**
 * Serves over HTTP.
 *
 * @throws ListenError if the port is not available; `auth` is closed then.
 */
export async function listen(
  auth: Pick<Auth, 'app' | 'close'>,
  settings: Settings,
  { wait = sleep, ...options }: ListenOptions = {},
): Promise<Listening> {
  const { host, port, maxConnections, shutdownDelaySeconds } = settings.server
  const server = builtIn.http.createServer({
    headersTimeout: headersTimeoutMs,
    connectionsCheckingInterval: lookEveryMs,
  })
  let isProxied = false
  const state = { isStopping: false, readyPath: `${settings.basePath}/ready` }
  const follow = ({ server: { requestTimeoutSeconds }, rateLimits, security }: Deadlines) => {
    isProxied = rateLimits.header !== null || security.svcForwardedForEnabled
    const answerMs = Math.ceil(requestTimeoutSeconds * 1000)
    server.timeout = answerMs > 0 ? answerMs + idleAnswerMs : 0
    server.requestTimeout = answerMs > 0 ? answerMs + bodyGraceMs : longestRequestMs
  }
  follow(settings)
  const connections = trackConnections(server, {
    max: connectionsWithin(maxConnections),
    clientOf: (socket) => clientOfPeer(socket, isProxied),
  })
  server.on('request', inOrder(afterBodyReceived(toNode(unlessStopping(auth, state)), connections)))
  try {
    server.listen({ port, backlog, ...(host && { host }) })
    await once(server, 'listening')
  } catch (error) {
    await auth.close()
    throw listenError(error, { host, port })
  }
  let accepted = 0
  server.on('connection', () => {
    accepted += 1
  })
  const closed = new Promise<void>((resolve) => server.once('close', () => resolve()))
  const stopping: Listening['stopping'] = {
    announce: () => {
      state.isStopping = true
    },
    refuseConnections: async () => {
      await untilAccepted(() => accepted)
      refuseConnections(server)
    },
    end: (limits) => end(server, auth, { connections, closed, ...limits }),
  }
  return {
    url: urlOf(server),
    addresses: addressesOf(server),
    follow,
    stopping,
    stop: async () => {
      stopping.announce()
      // Also without a delay: a check that was received before the listener closes gets the 503.
      await wait(shutdownDelaySeconds * 1000)
      await stopping.refuseConnections()
      await stopping.end({ ...stoppedLimits, ...options.limits })
    },
  }
}

/**
 * Returns 503 for `/ready` while the server stops, so that load balancers send no more requests.
 */
function unlessStopping(
  { app }: Pick<Auth, 'app'>,
  state: { readonly isStopping: boolean; readonly readyPath: string },
): Pick<Auth, 'app'> {
  const answer: AnswerRequest = async (request) =>
    state.isStopping && new URL(request.url).pathname.replace(/\/$/, '') === state.readyPath
      ? answerStopping(request)
      : answerOf(app)(request)
  answer.atOnce = answerOf(app).atOnce
  const wrapped = { fetch: (request: Request) => app.fetch(request), [answering]: answer }
  return { app: wrapped }
}

/** The most turns of the event loop in which waiting connections are accepted. */
const maxTurns = 1_000

/**
 * Waits until no connection waits to be accepted: closing the listener would reset it. Node accepts
 * one in each turn of its event loop.
 *
 * @param count returns the number of connections that were accepted so far.
 */
export async function untilAccepted(count: () => number): Promise<void> {
  let quietTurns = 0
  for (let turns = 0; turns < maxTurns && quietTurns < 2; turns += 1) {
    const before = count()
    await turnOfLoop()
    quietTurns = count() === before ? quietTurns + 1 : 0
  }
}

/** Closes the listener only: `close` of an HTTP server closes its idle connections, too. */
const refuseConnections = (server: Server): void => {
  SocketServer.prototype.close.call(server)
}

interface EndNeeds extends EndLimits {
  connections: Connections
  /** Resolves when the server has neither a listener nor connections. */
  closed: Promise<unknown>
}

async function end(
  server: Server,
  auth: Pick<Auth, 'close'>,
  { connections, closed, lingerMs, bodyMs }: EndNeeds,
): Promise<void> {
  connections.release()
  const beganAt = performance.now()
  const look = setInterval(async () => {
    const elapsedMs = performance.now() - beganAt
    if (bodyMs !== null && elapsedMs >= bodyMs) connections.endIncomplete()
    if (elapsedMs < lingerMs) return
    // Requests that were received by now have begun afterwards.
    await turnOfLoop()
    connections.endIdle()
  }, lookForIdleEveryMs)
  const limit = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearInterval(look)
  clearTimeout(limit)
  await auth.close()
}

interface Stoppable {
  stop(): Promise<void>
  /** Called at the second signal. */
  abort?(): void
}

/** Stops at the first signal; a second one ends the process at once. */
export function stopOnSignal(listening: Stoppable, logger: Logger): Stopping {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      listening.abort?.()
      process.exit(1)
    }
    stopping = true
    logger.info({ signal }, 'stopping after running requests')
    listening.stop().then(
      () => logger.info({}, 'stopped'),
      (error) => {
        logger.error({ reason: String(error) }, 'stopped uncleanly')
        process.exitCode = 1
      },
    )
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, onSignal)
  return onSignal
}

type Stopping = (signal: NodeJS.Signals) => void

function urlOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo
  return isWildcard(address) ? `http://localhost:${port}` : formatUrl(address, family, port)
}

function addressesOf(server: Server): string[] {
  const { address, port, family } = server.address() as AddressInfo
  if (!isWildcard(address)) return [formatUrl(address, family, port)]
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(
      (one) => (family === 'IPv6' || one.family === 'IPv4') && !one.address.startsWith('fe80'),
    )
    .map((one) => formatUrl(one.address, one.family, port))
}

const isWildcard = (address: string): boolean => address === '::' || address === '0.0.0.0'

const formatUrl = (address: string, family: string, port: number): string =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
