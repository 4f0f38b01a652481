import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'

/** How long a statement waits for a connection: shorter than a request may take by default. */
const patienceMs = 9_000
/** How long opening one may take. */
export const connectTimeoutMs = 5_000
/** How long until the server is asked again, where no connection of ours can be waited for. */
const pausesMs = { shortest: 50, longest: 200 }
/** What is kept of the connections where the server has no more: the rest is left to others. */
const keptShare = 0.8
/** How long it is kept at that after the last refusal. */
const modestForMs = 5_000

type Taker = Parameters<pg.Pool['connect']>[0]

interface PatientPoolOptions extends pg.PoolConfig {
  max: number
  maxIdle?: number
  maxUnusedMs?: number | undefined
}

/** What belongs to the connection itself, not to the wait for one in the pool. */
class Client extends pg.Client {
  constructor(options?: pg.ClientConfig) {
    super({ ...options, connectionTimeoutMillis: connectTimeoutMs })
  }
}

/**
 * A pool that waits where the server has no connection left. It makes do with fewer than it has for a
 * while, so that others who need one, such as the host, find one.
 */
export class PatientPool extends pg.Pool {
  readonly #ceiling: number
  readonly #maxIdle: number
  readonly #maxUnusedMs: number
  readonly #unusedSince = new WeakMap<object, number>()
  readonly #growing: NodeJS.Timeout

  /**
   * @param options `max`: connections at most; 0 sets no ceiling. `maxIdle`: of those that nobody uses; 0 keeps all.
   *   `maxUnusedMs`: none is used that nobody has used for so long by the clock on the wall, whatever timers say: while a
   *   process is frozen, its connections are closed by others. Default: no end.
   */
  constructor({ max, maxIdle = 0, maxUnusedMs, ...options }: PatientPoolOptions) {
    const ceiling = max || Number.MAX_SAFE_INTEGER
    super({ ...options, max: ceiling, connectionTimeoutMillis: patienceMs, Client })
    this.#ceiling = ceiling
    this.#maxIdle = maxIdle || Number.POSITIVE_INFINITY
    this.#maxUnusedMs = maxUnusedMs ?? Number.POSITIVE_INFINITY
    this.on('release', (_error, client) => this.#unusedSince.set(client, Date.now()))
    this.#growing = setTimeout(() => {
      this.options.max = this.#ceiling
    }, modestForMs).unref()
  }

  override connect(): Promise<pg.PoolClient>
  override connect(taker: Taker): void
  override connect(taker?: Taker): Promise<pg.PoolClient> | undefined {
    if (taker) {
      this.#take(taker, performance.now() + patienceMs)
      return undefined
    }
    return new Promise((resolve, reject) => {
      this.connect((error, client) => {
        if (client) resolve(client)
        else reject(error)
      })
    })
  }

  #take(taker: Taker, until: number): void {
    super.connect((error, client, release) => {
      if (error && hasNoneLeft(error) && performance.now() < until) {
        this.#makeDo()
        this.#takeLater(taker, until)
        return
      }
      if (client && this.#wasUnusedForLong(client)) {
        client.release(true)
        this.#take(taker, until)
        return
      }
      if (client) this.#endWhatIsTooMany(client)
      taker(error, client, client?.release ?? release)
    })
  }

  #wasUnusedForLong(client: pg.PoolClient): boolean {
    const since = this.#unusedSince.get(client)
    return since !== undefined && Date.now() - since > this.#maxUnusedMs
  }

  #makeDo(): void {
    this.options.max = Math.max(1, Math.floor(this.totalCount * keptShare))
    this.#growing.refresh()
  }

  #takeLater(taker: Taker, until: number): void {
    // One of ours gets free before long, and is waited for like any other.
    if (this.totalCount > 0) this.#take(taker, until)
    else pause().then(() => this.#take(taker, until))
  }

  #endWhatIsTooMany(client: pg.PoolClient): void {
    const isBounded = Number.isFinite(this.#maxIdle)
    if (!isBounded && this.totalCount <= this.options.max) return
    const release = client.release.bind(client)
    client.release = (isBroken) => release(isBroken || this.#isOneTooMany())
  }

  /** Whether a connection that is given back should end: nobody waits for it, or the server needs it. */
  #isOneTooMany(): boolean {
    if (this.totalCount > this.options.max) return true
    return this.waitingCount === 0 && this.idleCount >= this.#maxIdle
  }
}

/** Runs work that opens a connection of its own, again while the server has none left. */
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

/** @see PostgreSQL documentation, appendix A: `too_many_connections` */
const tooManyConnections = '53300'

/** How PgBouncer says so. */
const poolerIsFull = /no more connections allowed/

function hasNoneLeft(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && error.code === tooManyConnections) return true
  return poolerIsFull.test(error.message) || hasNoneLeft(error.cause)
}
