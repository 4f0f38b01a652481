import type { Duplex } from 'node:stream'
import pg from 'pg'
import { type ClientScope, createClientScope } from '../../platform/kit/client-scope.ts'
import { describeConnectError } from './describe-connect-error.ts'
import type { DatabaseDriver } from './open-database.ts'
import { connectTimeoutMs, PatientPool, whenThereIsRoom } from './patient-pool.ts'
import { pgQueryable } from './queryables.ts'
import { trustSearchPath } from './trusted-search-path.ts'

export interface PostgresOptions {
  url: string
  /** The maximum number of connections; 0 leaves a fifth of the server's to others. */
  maxPoolSize: number
  /** The maximum number of idle connections; 0 keeps all. */
  maxIdlePoolSize?: number
  /** The age at which a connection is replaced; 0 for never. */
  connectionMaxLifetimeSeconds?: number
  /** The time for which an idle connection is kept; 0 for no end. Default: that of `pg`. */
  connectionMaxIdleSeconds?: number
  /** Whether statements are planned once per connection. Some poolers cannot keep plans. */
  preparedStatements: boolean
  /**
   * The maximum idle time, by the system clock, of a connection that is used again. Default: no
   * maximum.
   */
  maxUnusedMs?: number
}

/** The time until the system probes a connection without data. */
const keepAliveMs = 10_000

/** The maximum time without a response to a statement. */
const patienceMs = 15_000

/**
 * Creates the driver of a PostgreSQL server, with a pool whose connections are opened at their
 * first use.
 */
export const postgresDriver =
  ({ url, preparedStatements, ...sizes }: PostgresOptions): DatabaseDriver =>
  async (place, names) => {
    const types = textualTimes()
    const clientScope = createClientScope()
    const pool = openPool(url, sizes, { types, currentClient: clientScope.current })
    const sending = { isPrepared: preparedStatements, types }
    return {
      sql: pgQueryable(pool, names, sending),
      transaction: (work) =>
        inTransaction(pool, (client) =>
          // Its statements have a connection. Other work that they start is not the client's.
          clientScope.run(null, () => work(pgQueryable(client, names, sending))),
        ),
      withOrm: async (work) => {
        const { openPostgresOrm } = await import('./postgres-orm.ts')
        return whenThereIsRoom(async () => {
          // It cannot use our pool, and its statements run one after another. A step of the schema
          // may take long, so it is not ended as a stalled one: probes detect a lost network.
          const orm = await openPostgresOrm(place, url, {
            ...connectionOptions(url),
            connectionTimeoutMillis: connectTimeoutMs,
            max: 1,
            keepAliveInitialDelayMillis: keepAliveMs,
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
      inTurnOf: clientScope.run,
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
  currentClient: ClientScope['current']
}

function openPool(url: string, sizes: PoolSizes, parts: PoolParts): PatientPool {
  const { maxPoolSize, maxIdlePoolSize = 0, connectionMaxIdleSeconds } = sizes
  const pool = new PatientPool({
    ...connectionOptions(url),
    ...parts,
    describeError: (error) => describeConnectError(error, url),
    max: maxPoolSize,
    maxIdle: maxIdlePoolSize,
    maxUnusedMs: sizes.maxUnusedMs,
    maxLifetimeSeconds: sizes.connectionMaxLifetimeSeconds ?? 0,
    ...(connectionMaxIdleSeconds !== undefined && {
      idleTimeoutMillis: connectionMaxIdleSeconds * 1000,
    }),
  })
  // Without listeners, the end of an idle connection would end the process. Statements on a broken
  // connection fail by themselves, and the pool opens another.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  watch(pool)
  return pool
}

/**
 * Closes stalled connections of a pool. The types of `pg` leave out the property that shows a
 * pending response.
 */
const watch = (pool: object): void => destroyStalledConnections(pool as WatchedPool, patienceMs)

/** Returns dates and times as PostgreSQL writes them, as in the transaction of a host. */
function textualTimes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides()
  for (const name of ['DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'INTERVAL'] as const) {
    types.setTypeParser(pg.types.builtins[name], (text) => text)
  }
  return types
}

/**
 * Runs the work in a transaction on one connection, which always returns to the pool; a broken one
 * is removed. Otherwise its place would be lost, and closing would wait for it forever.
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
    // A failure means that the connection was lost, and PostgreSQL has already rolled back.
    await client.query('rollback').then(
      () => client.release(),
      () => client.release(true),
    )
    throw error
  }
}

/** The properties of a pooled connection of `pg` that show a pending response and close it. */
interface PooledClient {
  /** False while a statement runs. */
  readyForQuery: boolean
  connection: { stream: Duplex }
}

export interface WatchedPool {
  on(event: 'connect' | 'acquire', listener: (client: PooledClient) => void): unknown
}

/**
 * Closes each connection with a pending response on which no data was received for this time. Its
 * statement fails, and the pool opens another.
 *
 * The timers of `pg`, one per statement, would keep all objects of a statement in memory for this
 * time. One timer per connection, restarted by each event on it, keeps none.
 */
function destroyStalledConnections(pool: WatchedPool, patienceMs: number): void {
  const timers = new WeakMap<PooledClient, NodeJS.Timeout>()
  pool.on('connect', (client) => {
    const { stream } = client.connection
    const timer = setTimeout(() => {
      if (!client.readyForQuery) stream.destroy(new Error('connection terminated: no response'))
    }, patienceMs)
    timer.unref()
    stream.on('data', () => timer.refresh()).once('close', () => clearTimeout(timer))
    timers.set(client, timer)
  })
  pool.on('acquire', (client) => timers.get(client)?.refresh())
}
