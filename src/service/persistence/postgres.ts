import type { Duplex } from 'node:stream'
import pg from 'pg'
import { createRequesterScope, type RequesterScope } from '../../platform/kit/requester-scope.ts'
import type { DatabaseDriver } from './open-database.ts'
import { connectTimeoutMs, PatientPool, whenThereIsRoom } from './patient-pool.ts'
import { pgQueryable } from './queryables.ts'
import { trustSearchPath } from './trusted-search-path.ts'

export interface PostgresOptions {
  url: string
  /** Connections at most; 0: as many as leave a fifth of the server's to others. */
  maxPoolSize: number
  /** Connections that are kept while nobody uses them; 0 keeps all. */
  maxIdlePoolSize?: number
  /** 0: never replaced. */
  connectionMaxLifetimeSeconds?: number
  /** How long a connection is kept that nobody uses; 0 sets no end. Default: as `pg` does. */
  connectionMaxIdleSeconds?: number
  /** Whether statements are planned once per connection. Some poolers in front cannot keep plans. */
  preparedStatements: boolean
  /** How long a connection may have gone unused, by the clock on the wall, and be used again. Default: without an end. */
  maxUnusedMs?: number
}

/** How long the database may say nothing to a statement. */
const patienceMs = 15_000

/** A PostgreSQL server, through a pool of connections that are opened when first used. */
export const postgresDriver =
  ({ url, preparedStatements, ...sizes }: PostgresOptions): DatabaseDriver =>
  async (place, names) => {
    const types = textualTimes()
    const requester = createRequesterScope()
    const pool = openPool(url, sizes, { types, requesterOf: requester.current })
    const sending = { isPrepared: preparedStatements, types }
    return {
      sql: pgQueryable(pool, names, sending),
      transaction: (work) =>
        inTransaction(pool, (client) =>
          // Its statements have a connection. All others that it sets off are not the client's.
          requester.run(null, () => work(pgQueryable(client, names, sending))),
        ),
      withOrm: async (work) => {
        const { openPostgresOrm } = await import('./postgres-orm.ts')
        return whenThereIsRoom(async () => {
          // It cannot use our pool, and what it is needed for happens one after another.
          const orm = await openPostgresOrm(place, url, {
            ...connectionOptions(url),
            connectionTimeoutMillis: connectTimeoutMs,
            max: 1,
            onPoolCreated: watch,
          })
          return work(orm).finally(() => orm.close())
        })
      },
      load: () => ({
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.demand,
        ceiling: pool.ceiling,
      }),
      inTurnOf: requester.run,
      countConnections: () => pool.countConnections(),
      close: async () => {
        if (!pool.ending) await pool.end()
      },
    }
  }

const connectionOptions = (url: string) => ({
  connectionString: url,
  application_name: 'latchkey',
  keepAlive: true,
  onConnect: trustSearchPath,
})

type PoolSizes = Omit<PostgresOptions, 'url' | 'preparedStatements'>

interface PoolParts {
  types: pg.CustomTypesConfig
  requesterOf: RequesterScope['current']
}

function openPool(url: string, sizes: PoolSizes, parts: PoolParts): PatientPool {
  const { maxPoolSize, maxIdlePoolSize = 0, connectionMaxIdleSeconds } = sizes
  const pool = new PatientPool({
    ...connectionOptions(url),
    ...parts,
    max: maxPoolSize,
    maxIdle: maxIdlePoolSize,
    maxUnusedMs: sizes.maxUnusedMs,
    maxLifetimeSeconds: sizes.connectionMaxLifetimeSeconds ?? 0,
    ...(connectionMaxIdleSeconds !== undefined && {
      idleTimeoutMillis: connectionMaxIdleSeconds * 1000,
    }),
  })
  // Without listeners, the end of a connection that nobody uses would end the process. What is asked of
  // a broken one fails by itself, and the pool opens another.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  watch(pool)
  return pool
}

/** The types of `pg` leave out what tells whether a connection owes an answer. */
const watch = (pool: object): void => destroyStalledConnections(pool as WatchedPool, patienceMs)

/** Dates and times come as PostgreSQL writes them, as they do in the transaction of a host. */
function textualTimes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  for (const name of ['DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'INTERVAL'] as const) {
    types.setTypeParser(pg.types.builtins[name], (text) => text)
  }
  return types
}

/**
 * Runs the work in a transaction, on one connection, which goes back to the pool whatever happens; a
 * broken one leaves it. Otherwise its place would be lost, and closing would wait for it forever.
 */
async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    // Where this fails the connection is gone, and PostgreSQL has rolled back already.
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}

/** The parts of a pooled connection of `pg` that tell whether it owes an answer, and let go of it. */
interface PooledClient {
  /** False while a statement runs. */
  readyForQuery: boolean
  connection: { stream: Duplex }
}

export interface WatchedPool {
  on(event: 'connect' | 'acquire', listener: (client: PooledClient) => void): unknown
}

/**
 * Gives up each connection that owes an answer and on which nothing has come for so long. What waits
 * for it fails, and the pool opens another.
 *
 * `pg` itself would time each statement, and its timers keep all that belongs to a statement in memory
 * for as long. One timer per connection, set back by whatever happens on it, keeps nothing.
 */
export function destroyStalledConnections(pool: WatchedPool, patienceMs: number): void {
  const timers = new WeakMap<PooledClient, NodeJS.Timeout>()
  pool.on('connect', (client) => {
    const { stream } = client.connection
    const timer = setTimeout(() => {
      if (!client.readyForQuery) stream.destroy(new Error('connection terminated for its silence'))
    }, patienceMs)
    timer.unref()
    stream.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer))
    timers.set(client, timer)
  })
  pool.on('acquire', (client) => timers.get(client)?.refresh())
}
