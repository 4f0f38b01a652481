import type { Seconds } from './values.ts'

/** The PostgreSQL database with users and sessions. */
export interface DatabaseConfig {
  /** `postgres://…`. Optional in development, which has an embedded database. */
  url?: string | undefined
  /**
   * The URL of this database without a pooler, for notifications of changed keys. Default: `url`. Without
   * notifications, keys are read every 30 seconds.
   */
  listenUrl?: string | undefined
  /**
   * A streaming replica, for lists of users, the audit log, exports and explanations. While it is
   * unreachable or behind, the primary is read. Default: none.
   */
  replicaUrl?: string | undefined
  /** The age of the replica's data above which the primary is read. Default 10 s. */
  replicaMaxLagSeconds?: Seconds | undefined
  /** Only `postgres` is supported. */
  driver?: 'postgres' | undefined
  /** Schema of the tables: lower-case letters, digits and `_`, 40 bytes at most. Default `auth`. */
  schema?: string | undefined
  /** Prefix of every table name, spelled like a schema. Default: none. */
  namespace?: string | undefined
  /**
   * The maximum of open connections. Default 10, since the host uses the server, too; 0: no fixed
   * limit, a fifth of the server's connections is left to others.
   */
  maxPoolSize?: number | undefined
  /** The maximum of idle connections that stay open. Default 0: all. */
  maxIdlePoolSize?: number | undefined
  /** Age at which a connection is replaced once it is free. Default 0: never. */
  connectionMaxLifetimeSeconds?: Seconds | undefined
  /** How long an idle connection stays open. Default 10 s; 0 for unlimited. */
  connectionMaxIdleSeconds?: Seconds | undefined
  /** Named statements, planned once per connection. Default true; use false behind some poolers. */
  preparedStatements?: boolean | undefined
  /** Deletion of expired rows in the background. Default true. */
  cleanupEnabled?: boolean | undefined
}

export interface ResolvedDatabase {
  /** Null only in development. */
  url: string | null
  /** Null: the same as `url`. */
  listenUrl: string | null
  /** Null: all statements are sent to `url`. */
  replicaUrl: string | null
  replicaMaxLagSeconds: number
  driver: 'postgres'
  schema: string
  namespace: string
  /** 0: no fixed limit. */
  maxPoolSize: number
  maxIdlePoolSize: number
  connectionMaxLifetimeSeconds: number
  connectionMaxIdleSeconds: number
  preparedStatements: boolean
  cleanupEnabled: boolean
}
