import { setTimeout as sleep } from 'node:timers/promises'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { onceAtStart as unprepared } from './foreign-schema.ts'
import { lockNotAvailable } from './sql-states.ts'
import type { Namespace } from './table-names.ts'

/** How long a migration waits for locks. */
export interface LockPatience {
  /**
   * The time for which a step waits for a table. All later statements on the table wait behind it,
   * so sign-ins of running instances wait as long. PostgreSQL cancels a vacuum after one second.
   */
  tableMs: number
  /** The pause until the next attempt, in which waiting statements are executed. */
  pauseMs: number
  /** The time after which a migration that is still blocked fails. */
  totalMs: number
}

export interface MigrationOptions {
  /** Default: nothing is logged. */
  logger?: Logger
  /** Default: {@link startPatience}. */
  patience?: LockPatience
}

/** The requests of an application wait for its start. A later one starts it again. */
export const startPatience: LockPatience = { tableMs: 1_500, pauseMs: 6_000, totalMs: 10_000 }

/** A command waits longer: for a report, or the steps of another instance. */
export const commandPatience: LockPatience = { ...startPatience, totalMs: 600_000 }

/** The pause until the lock of migrations is tried again. */
const turnMs = 250

const tryLock = statement<{ key: string }, { taken: boolean }>(
  'try_lock_migrations',
  (_, $) => `select pg_try_advisory_xact_lock(hashtextextended(${$.key}, 0)) as taken`,
  { unprepared },
)

/** With another default of the role, the steps of another instance would remain invisible. */
const readCommitted = statement(
  'read_committed',
  () => 'set transaction isolation level read committed',
  { unprepared },
)

/**
 * A query that ends the time limits of the role until the transaction ends. They are for requests:
 * a step may take long, and the pauses are idle. Older versions of PostgreSQL have fewer of them.
 */
export const endingTimeLimits = `set_config(name, '0', true) from (values
  ('statement_timeout'), ('idle_in_transaction_session_timeout'), ('transaction_timeout')
  ) limits (name) where current_setting(name, true) is not null`

const endTimeLimits = statement('end_time_limits', () => `select ${endingTimeLimits}`, {
  unprepared,
})

/**
 * Locks migrations until the transaction ends. Must be called first in it. Services that share a
 * schema use the same lock, because both create it.
 *
 * @throws AuthError `service_unavailable` (503) when another instance holds it for the whole time.
 */
export async function lockMigrations(
  sql: Queryable,
  { schema }: Namespace,
  { logger = silentLogger, patience = startPatience }: MigrationOptions,
): Promise<void> {
  const isTaken = async () => (await sql.query(tryLock, { key: lockKey(schema) }))[0]?.taken
  const endsAt = performance.now() + patience.totalMs
  await sql.query(readCommitted, {})
  await sql.query(endTimeLimits, {})
  for (let turn = 0; !(await isTaken()); turn += 1) {
    if (turn === 0) logger.info({}, 'another instance migrates the database: this one waits')
    if (performance.now() >= endsAt) throw serviceUnavailable(othersMigrate, lockError())
    await sleep(turnMs)
  }
}

const othersMigrate = 'Another instance migrates the database'

/** The key of the advisory lock of migrations, before it is hashed. */
export const lockKey = (schema: string): string => `latchkey:migrations:${schema}`

const lockError = (): Error =>
  Object.assign(new Error('the lock of migrations is not available'), { code: lockNotAvailable })
