import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { requestTimeout } from '../../platform/errors/request-errors.ts'
import { pathOfClient, type ScopedClient } from '../../platform/kit/client-scope.ts'
import type { FairnessPath } from '../../platform/kit/fair-queue.ts'
import { createConnectionQueue } from './connection-queue.ts'
import { type ConnectionRoom, countConnections, readRoom, roomIn } from './connection-room.ts'

/** The time for which a statement waits for a connection: below the default request timeout. */
const patienceMs = 9_000
/**
 * The timeout of one attempt to open a connection. A place in the pool is occupied for that time
 * while a server or pooler is silent, so this bounds the recovery afterwards.
 */
export const connectTimeoutMs = 2_500
/** The interval between attempts to connect, while this pool has no connection to wait for. */
const pausesMs = { shortest: 50, longest: 200 }
/**
 * The share of connections that is kept after the server has rejected one: the rest is left to
 * others.
 */
const keptShare = 0.8
/** The time for which the pool stays reduced after the last rejection. */
const modestForMs = 5_000

/** The time for which a count without free connections is reused. */
const countHoldsMs = 1_000
/**
 * The maximum number of connections where they cannot be counted: PgBouncer's default for
 * connections to the server.
 */
export const uncountedCeiling = 20
/**
 * The lock by which the processes of one database grow one after another, so that each counts the
 * connections of the others.
 */
const growthLock = 7_211_550_025_017

/** A process that is frozen with the lock delays the others for ten seconds at most. */
const beginGrowth = [
  'begin',
  `set local idle_in_transaction_session_timeout = '10s'`,
  `set local lock_timeout = '2s'`,
  `select pg_advisory_xact_lock(${growthLock})`,
].join('; ')

type Taker = Parameters<pg.Pool['connect']>[0]

/** A request for a connection. */
interface Order {
  taker: Taker
  /** The request of a client that needs the connection; null for the service itself. */
  scopedClient: ScopedClient | null
  /** The time until which it is retried where the server has no connection left. */
  until: number
  /** Whether a connection for it was not opened in time once. */
  isRepeated?: boolean
}

interface Waiting {
  order: Order
  path: FairnessPath | null
  /** Ends the wait after its timeout. */
  timer: NodeJS.Timeout
}

/** A request in the pool of `pg`. */
interface PendingRequest {
  callback(error: Error, client: undefined, release: () => void): void
}

interface PatientPoolOptions extends pg.PoolConfig {
  max: number
  maxIdle?: number
  maxUnusedMs?: number | undefined
  currentClient?: () => ScopedClient | null
  /** Converts the error of a connection that could not be opened. Default: unchanged. */
  describeError?: (error: Error) => Error
}

/** The error of `pg-pool`, whose text others recognize. */
const waitedTooLong = (): Error => new Error('timeout exceeded when trying to connect')

/**
 * A client with the timeout for opening a connection, which differs from that of the wait in the
 * pool.
 */
class Client extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: connectTimeoutMs })
  }
}

/**
 * A pool that waits where the server has no connection left, and then uses fewer for a while, so
 * that others, such as the host, find one.
 *
 * Without a configured ceiling it counts the connections of the server whenever it grows, and
 * leaves the last fifth to others. One connection is always taken. Where they cannot be counted, as
 * behind a pooler, it has a fixed ceiling.
 *
 * While all connections are in use, the networks of clients take turns, and the service itself has
 * a place of its own: {@link createConnectionQueue}. The queue of `pg-pool` contains only requests
 * for which there is a connection.
 */
export class PatientPool extends pg.Pool {
  #ceiling: number
  /** The reduced maximum after a rejection. */
  #modest = Number.MAX_SAFE_INTEGER
  /** Whether it counts connections before it opens another one. */
  #isCounting: boolean
  #isGrowing = false
  /** The number of connections that may be opened in addition to the open ones. */
  #allowance = 0
  #fullUntil = 0
  #knownCeiling: number | null
  #retrying: NodeJS.Timeout | undefined
  readonly #maxIdle: number
  readonly #maxUnusedMs: number
  readonly #unusedSince = new WeakMap<object, number>()
  readonly #growing: NodeJS.Timeout
  readonly #queue = createConnectionQueue<Waiting>()
  readonly #currentClient: () => ScopedClient | null
  readonly #describeError: (error: Error) => Error

  /**
   * @param options `max`: connections at most; 0: four fifths of those that the server accepts,
   *   with all others. `maxIdle`: idle connections at most; 0 keeps all. `maxUnusedMs`: the longest
   *   that a connection is idle and used again, by the system clock, since no timer runs while a
   *   process is frozen, and its connections are closed by others. Default: no end. `currentClient`:
   *   the request of a client that a connection is needed for at this moment; null for the service
   *   itself.
   */
  constructor({
    max,
    maxIdle = 0,
    maxUnusedMs,
    currentClient,
    describeError,
    ...options
  }: PatientPoolOptions) {
    const ceiling = max || Number.MAX_SAFE_INTEGER
    super({ Client, ...options, max: ceiling, connectionTimeoutMillis: patienceMs })
    this.#currentClient = currentClient ?? (() => null)
    this.#describeError = describeError ?? ((error) => error)
    this.#ceiling = ceiling
    this.#isCounting = max === 0
    this.#knownCeiling = max || null
    // `pg-pool` compares it with the number of connections whenever one is requested or released.
    Object.defineProperty(this.options, 'max', {
      get: () => this.#most(),
      set: (most: number) => {
        this.#modest = most
      },
    })
    this.#maxIdle = maxIdle || Number.POSITIVE_INFINITY
    this.#maxUnusedMs = maxUnusedMs ?? Number.POSITIVE_INFINITY
    if (maxUnusedMs !== undefined) {
      this.on('release', (_error, client) => this.#unusedSince.set(client, Date.now()))
    }
    for (const event of ['acquire', 'remove'] as const) this.on(event, () => this.#growIfAwaited())
    for (const event of ['release', 'remove'] as const) this.on(event, () => this.#serveSoon())
    this.#growing = setTimeout(() => {
      this.options.max = this.#ceiling
      this.#serve()
    }, modestForMs).unref()
  }

  /** The number of waiting requests for a connection. */
  get demand(): number {
    return this.#queue.size() + this.waitingCount
  }

  /** The maximum at the last count; null before. */
  get ceiling(): number | null {
    return this.#knownCeiling
  }

  /** Counts the connections of all applications, on one of this pool. */
  async countConnections(): Promise<ConnectionRoom> {
    const client = await this.connect()
    try {
      const { rows } = await client.query(countConnections)
      return readRoom(rows[0], processIdOf(client))
    } finally {
      client.release()
    }
  }

  #most(): number {
    const most = Math.min(this.#ceiling, this.#modest)
    return this.#isCounting ? Math.max(1, Math.min(this.totalCount + this.#allowance, most)) : most
  }

  override connect(): Promise<pg.PoolClient>
  override connect(taker: Taker): void
  override connect(taker?: Taker): Promise<pg.PoolClient> | undefined {
    if (taker) {
      const until = performance.now() + patienceMs
      this.#take({ taker, scopedClient: this.#currentClient(), until })
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.connect((error, client) => {
        if (client) resolve(client)
        else reject(error)
      })
    })
  }

  #take(order: Order): void {
    const isNext = this.#queue.size() === 0 && this.#hasVacancy()
    if (isNext || this.ending) this.#acquire(order)
    else this.#wait(order)
    this.#growIfAwaited()
  }

  /** Whether there is a connection for one more request than those already waiting in `pg-pool`. */
  #hasVacancy(): boolean {
    const openable = Math.max(0, this.options.max - this.totalCount)
    return this.idleCount + openable > this.waitingCount
  }

  #wait(order: Order): void {
    const path = order.scopedClient && pathOfClient(order.scopedClient)
    const timer = setTimeout(() => {
      this.#queue.remove(path, waiting)
      order.taker(waitedTooLong(), undefined, () => {})
    }, patienceMs).unref()
    const waiting: Waiting = { order, path, timer }
    this.#queue.add(path, waiting)
  }

  /**
   * Serves the queue after the event: only then is a released connection idle, and the place of an
   * ended one free.
   */
  #serveSoon(): void {
    if (this.#queue.size() > 0) process.nextTick(() => this.#serve())
  }

  /** Passes free connections to the next requests of the queue. */
  #serve(): void {
    while (this.#queue.size() > 0 && (this.#hasVacancy() || this.ending)) {
      const waiting = this.#queue.next()
      if (!waiting) break
      clearTimeout(waiting.timer)
      this.#acquire(waiting.order)
    }
    this.#growIfAwaited()
  }

  #acquire(order: Order): void {
    super.connect((error, client, release) => {
      // A connection that could not be opened frees its place without an event.
      if (error) this.#serveSoon()
      if (error && hasNoneLeft(error) && performance.now() < order.until) {
        this.#makeDo()
        this.#takeLater(order)
        return
      }
      if (error && isLate(error) && !order.isRepeated && performance.now() < order.until) {
        this.#take({ ...order, isRepeated: true })
        return
      }
      if (client && this.#wasUnusedForLong(client)) {
        client.release(true)
        this.#acquire(order)
        return
      }
      if (client) this.#endWhatIsTooMany(client)
      if (client && order.scopedClient?.isOver?.()) {
        client.release()
        order.taker(requestTimeout(), undefined, () => {})
        return
      }
      const described = error && !this.ending ? this.#describeError(error) : error
      order.taker(described, client, client?.release ?? release)
    })
  }

  /** Opens more connections where requests wait for one, as far as there is room. */
  #growIfAwaited(): void {
    const isAwaited = this.demand > 0 && this.idleCount === 0
    if (!this.#isCounting || this.#isGrowing || !isAwaited || this.ending) return
    if (this.#modest <= this.totalCount) return
    const pauseMs = this.#fullUntil - performance.now()
    if (pauseMs > 0) {
      this.#retryIn(pauseMs)
      return
    }
    this.#isGrowing = true
    this.#grow().finally(() => {
      this.#isGrowing = false
      this.#growIfAwaited()
    })
  }

  #retryIn(pauseMs: number): void {
    clearTimeout(this.#retrying)
    this.#retrying = setTimeout(() => this.#growIfAwaited(), pauseMs).unref()
  }

  /** Opens a connection, counts on it, and opens as many more as requests need. Never rejects. */
  async #grow(): Promise<void> {
    const client = await this.#open()
    if (!client) {
      this.#noteFull()
      return
    }
    try {
      const extra = await this.#countRoom(client)
      if (extra < 0 && this.totalCount > 1) {
        client.release(true)
        return
      }
      await this.#openAwaited(Math.min(extra, this.demand - 1))
      await client.query('commit')
      client.release()
    } catch (error) {
      this.#noteFull()
      if (isUnsupported(error)) this.#stopCounting()
      client.release(true)
    }
    if (!this.#isCounting)
      await this.#openAwaited(Math.min(this.#most() - this.totalCount, this.demand))
  }

  /**
   * Counts in a transaction whose lock excludes other processes until it ends.
   *
   * @returns the number of connections that may be opened besides this one; negative where this one
   *   is too many.
   */
  async #countRoom(client: pg.PoolClient): Promise<number> {
    const results = (await client.query(
      `${beginGrowth}; ${countConnections}`,
    )) as unknown as pg.QueryResult[]
    const room = readRoom(results.at(-1)?.rows[0], processIdOf(client))
    if (room.isPooled) {
      this.#stopCounting()
      return 0
    }
    // One is left for the connection of the next count.
    const extra = roomIn(room.bounds[0]) - 1
    this.#knownCeiling = Math.max(1, this.totalCount + extra)
    if (extra <= 0) this.#noteFull()
    return extra
  }

  #noteFull(): void {
    this.#fullUntil = performance.now() + countHoldsMs
  }

  #stopCounting(): void {
    this.#isCounting = false
    this.#ceiling = uncountedCeiling
    this.#knownCeiling = uncountedCeiling
  }

  async #openAwaited(count: number): Promise<void> {
    const opening = Array.from({ length: Math.max(0, count) }, async () => {
      const client = await this.#open()
      if (client) client.release()
      else this.#noteFull()
    })
    await Promise.all(opening)
  }

  /**
   * Opens one more connection; null where that fails. Released, it serves the first request that
   * waits.
   */
  #open(): Promise<pg.PoolClient | null> {
    return new Promise((resolve) => {
      this.#allowance = 1
      super.connect((error, client) => {
        if (error) this.#serveSoon()
        resolve(client ?? null)
      })
      this.#allowance = 0
    })
  }

  /**
   * Opens a connection for a request of the pool of `pg`, which calls this method. A file that the
   * URL names, such as the certificate of an authority, is read for each connection. Where that
   * fails, `pg` throws in place of a callback, also outside the request.
   */
  newClient(pending: PendingRequest): unknown {
    const { newClient } = pg.Pool.prototype as unknown as typeof this
    try {
      return newClient.call(this, pending)
    } catch (error) {
      process.nextTick(() => pending.callback(error as Error, undefined, () => {}))
      return undefined
    }
  }

  #wasUnusedForLong(client: pg.PoolClient): boolean {
    if (this.#maxUnusedMs === Number.POSITIVE_INFINITY) return false
    const since = this.#unusedSince.get(client)
    return since !== undefined && Date.now() - since > this.#maxUnusedMs
  }

  #makeDo(): void {
    this.options.max = Math.max(1, Math.floor(this.totalCount * keptShare))
    this.#growing.refresh()
  }

  #takeLater(order: Order): void {
    // Waits for a connection of this pool like any other request.
    if (this.totalCount > 0) this.#take(order)
    else pause().then(() => this.#take(order))
  }

  #endWhatIsTooMany(client: pg.PoolClient): void {
    const isBounded = Number.isFinite(this.#maxIdle)
    if (!isBounded && this.totalCount <= this.options.max) return
    const release = client.release.bind(client)
    client.release = (isBroken) => release(isBroken || this.#isOneTooMany())
  }

  /** Whether a released connection should end: no request waits for it, or the server needs it. */
  #isOneTooMany(): boolean {
    if (this.totalCount > this.options.max) return true
    return this.demand === 0 && this.idleCount >= this.#maxIdle
  }
}

/** The id that the server announced for a connection, which the types of `pg` leave out. */
const processIdOf = (client: pg.PoolClient): number | null =>
  (client as unknown as { processID: number | null }).processID

/** Runs work that opens a connection of its own, and retries while the server has none left. */
export async function whenThereIsRoom<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + patienceMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!hasNoneLeft(error) || performance.now() >= until) throw error
      await pause()
    }
  }
}

const pause = () =>
  sleep(pausesMs.shortest + Math.random() * (pausesMs.longest - pausesMs.shortest))

/**
 * Whether a server or a pooler rejects the count for a permanent reason.
 *
 * @see PostgreSQL documentation, appendix A: classes 0A, 22, 42, 25
 */
const isUnsupported = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && /^(0A|22|42|25|08P01)/.test(error.code ?? '')

/** Whether an attempt to connect exceeded its time: the message of `pg`. */
const isLate = ({ message }: Error): boolean => message === 'timeout expired'

/** @see PostgreSQL documentation, appendix A: `too_many_connections` */
const tooManyConnections = '53300'

/** The message of PgBouncer for that error. */
const poolerIsFull = /no more connections allowed/

function hasNoneLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === tooManyConnections) return true
  return poolerIsFull.test(error.message) || hasNoneLeft(error.cause)
}
