import type { ScopedClient } from '../kit/client-scope.ts'
import type { HostEntityManager, HostTransaction } from './host-transaction.ts'
import type { Queryable } from './queryable.ts'

/** The statements of a running transaction. */
export interface UnitOfWork {
  /** Runs statements inside the transaction. */
  sql: Queryable
}

/** The connections of a pool at a moment. */
export interface PoolLoad {
  used: number
  idle: number
  waiting: number
  /** The maximum number of connections of this process; null before they are counted. */
  ceiling: number | null
}

/**
 * The state of a replica. `behind`: its data is older than permitted, or of unknown age.
 */
export type ReplicaState = 'ok' | 'behind' | 'unreachable'

/** A replica of the database. */
export interface Replica {
  /**
   * Runs statements that only read, and on which nothing is decided: on the replica, or on the
   * primary while the replica is not usable.
   */
  sql: Queryable
  /** Runs work whose statements wait for a connection to the replica in the queue of a client. */
  inTurnOf<T>(client: ScopedClient, work: () => T): T
  /** Returns the state at the last check; null before the first one. */
  state(): ReplicaState | null
}

/** The database of a running service. */
export interface Database {
  /** Runs statements outside a transaction, each on any connection of the pool. */
  sql: Queryable
  /** Returns the migrations of this version that the database lacks. */
  pendingMigrations(): Promise<readonly string[]>
  /**
   * Returns the reason why the database rejects writes, such as a read-only database; null where it
   * accepts them.
   */
  writeFault(): Promise<string | null>
  /** Runs the work in a transaction that is rolled back when it throws. */
  transaction<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T>
  /**
   * Returns the milliseconds in which statements had no result because the database was
   * unavailable: in the present outage, and in earlier ones of the last minute.
   */
  lostMs(): number
  /** Returns the connections at this moment. Absent for an embedded database. */
  load?(): PoolLoad
  /**
   * Runs work whose statements wait for a connection in the queue of a client. All other statements
   * are the service's own and wait in a queue of their own. Absent for an embedded database.
   */
  inTurnOf?<T>(client: ScopedClient, work: () => T): T
  /** Absent where none is configured. */
  replica?: Replica
  /** Returns a unit of work inside the host's transaction. Only the host commits or rolls back. */
  join(host: HostEntityManager | HostTransaction): JoinedTransaction
}

/** The part of the host's transaction that flows use. */
export interface JoinedTransaction extends UnitOfWork {
  /** Runs work in it. It neither commits nor rolls back. */
  run<T>(work: () => Promise<T>): Promise<T>
}
