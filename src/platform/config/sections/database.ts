import type { Seconds } from './values.ts'

/** The PostgreSQL database that holds users and sessions. */
export interface DatabaseConfig {
  /** `postgres://…`. May be left out in development, where an embedded database takes its place. */
  url?: string | undefined
  /**
   * The same database without a pooler in between, to hear of changed keys at once. Default: `url`. Where
   * nothing can be heard, keys are looked at every 30 seconds.
   */
  listenUrl?: string | undefined
  /** Only `postgres` there is. */
  driver?: 'postgres' | undefined
  /** Schema of the tables: lower-case letters, digits and `_`, 40 bytes at most. Default `auth`. */
  schema?: string | undefined
  /** Prefix of every table name, spelled like a schema. Default: none. */
  namespace?: string | undefined
  /** Open connections at most. Default 10, since the host uses the server, too; 0: no fixed ceiling, the last fifth is left to others. */
  maxPoolSize?: number | undefined
  /** Connections that are kept while nobody uses them, at most. Default 0: all of them. */
  maxIdlePoolSize?: number | undefined
  /** Age at which a connection is replaced once it is free. Default 0: never. */
  connectionMaxLifetimeSeconds?: Seconds | undefined
  /** How long a connection is kept that nobody uses. Default 10 s; 0 sets no end. */
  connectionMaxIdleSeconds?: Seconds | undefined
  /** Named statements, planned once per connection. Default true; false behind some poolers. */
  preparedStatements?: boolean | undefined
  /** Removal of expired rows in the background. Default true. */
  cleanupEnabled?: boolean | undefined
}

export interface ResolvedDatabase {
  /** Null only in development. */
  url: string | null
  /** Null: the same. */
  listenUrl: string | null
  driver: 'postgres'
  schema: string
  namespace: string
  /** 0: no fixed ceiling. */
  maxPoolSize: number
  maxIdlePoolSize: number
  connectionMaxLifetimeSeconds: number
  connectionMaxIdleSeconds: number
  preparedStatements: boolean
  cleanupEnabled: boolean
}
