import { MikroORM } from '@mikro-orm/postgresql'
import { giveUpSilent, type WatchedPool } from './give-up-silent.ts'
import type { DatabaseDriver } from './open-database.ts'
import { type PgPool, poolQueryable } from './queryables.ts'

export interface PostgresOptions {
  url: string
  /** Connections at most; 0 sets no ceiling. */
  maxPoolSize: number
  /** Whether statements are planned once per connection. Some poolers in front cannot keep plans. */
  preparedStatements: boolean
}

const connectTimeoutMs = 5_000
/** How long the database may say nothing to a statement. */
const patienceMs = 15_000

/** A PostgreSQL server, through a pool of connections. */
export function postgresDriver(options: PostgresOptions): DatabaseDriver {
  let pool: PgPool | null = null
  return {
    connect: (ormOptions) =>
      MikroORM.init({
        ...ormOptions,
        dbName: databaseName(options.url),
        driverOptions: {
          connectionString: options.url,
          max: options.maxPoolSize || Number.MAX_SAFE_INTEGER,
          application_name: 'latchkey',
          connectionTimeoutMillis: connectTimeoutMs,
          keepAlive: true,
          onPoolCreated: (pool: WatchedPool) => giveUpSilent(pool, patienceMs),
        },
      }),
    queryable: async (orm, names) => {
      pool = await orm.driver.getConnection().getNativeClient()
      return poolQueryable(pool, names, options.preparedStatements)
    },
    // The ORM, closing, ends the pool only if it has run a statement of its own.
    release: async () => {
      if (pool && !pool.ending) await pool.end()
    },
  }
}

const databaseName = (url: string): string =>
  decodeURIComponent(new URL(url).pathname.slice(1)) || 'postgres'
