import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { codesOf } from './describe-database-error.ts'
import { onceAtStart as unprepared } from './foreign-schema.ts'
import { lockNotAvailable } from './session-lock.ts'
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

/** Time limits of the role are for requests: a step may take long, and the pauses are idle. */
const limitWaits = statement<{ ms: string }, { pid: number }>(
  'limit_lock_waits',
  (_, $) => `select pg_backend_pid() as pid, set_config('lock_timeout', ${$.ms}, true),
    set_config('statement_timeout', '0', true),
    set_config('idle_in_transaction_session_timeout', '0', true)`,
  { unprepared },
)
const setSavepoint = statement('save_before_steps', () => 'savepoint before_steps', { unprepared })
const rollBack = statement('undo_steps', () => 'rollback to savepoint before_steps', { unprepared })

interface Blocker {
  pid: number
  application: string | null
  seconds: number | null
}

const findBlocker = statement<{ pid: number }, Blocker>(
  'find_migration_blocker',
  (_, $) => `
    select b.pid, nullif(a.application_name, '') as application,
      extract(epoch from statement_timestamp() - a.xact_start)::int as seconds
    from unnest(pg_blocking_pids(${$.pid}::int)) b (pid) left join pg_stat_activity a using (pid)
    order by a.xact_start limit 1`,
  { unprepared },
)

/** The connections of a migration. */
export interface MigrationConnections {
  /** That of the transaction. */
  transaction: Queryable
  /** Another one; null for an embedded database, which has no other. */
  other: Queryable | null
}

/**
 * Executes the steps in a transaction, and again while other transactions hold their tables. The
 * lock of migrations is kept meanwhile, so that one instance attempts it.
 *
 * @throws AuthError `service_unavailable` (503) when they are blocked for the whole time.
 */
export async function whileBlocked<T>(
  { transaction, other }: MigrationConnections,
  { logger = silentLogger, patience = startPatience }: MigrationOptions,
  execute: () => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + patience.totalMs
  const [own] = await transaction.query(limitWaits, { ms: String(patience.tableMs) })
  await transaction.query(setSavepoint, {})
  for (let attempt = 0; ; attempt += 1) {
    const blocker = watchBlocker(other, own?.pid ?? 0, patience.tableMs / 2)
    try {
      return await execute()
    } catch (error) {
      if (!codesOf(error).some(isBlocked)) throw error
      await transaction.query(rollBack, {})
      const found = await blocker.found
      if (performance.now() >= endsAt) throw blocked(found, error)
      if (attempt === 0) {
        logger.warn({ blocker: found }, 'a transaction blocks the migration, which waits')
      }
      await sleep(patience.pauseMs)
    } finally {
      blocker.stop()
    }
  }
}

/** Finds the transaction that blocks a connection after some time. */
function watchBlocker(other: Queryable | null, pid: number, afterMs: number) {
  const stopping = new AbortController()
  const find = async (): Promise<Blocker | null> => {
    if (!other) return null
    await sleep(afterMs, undefined, { signal: stopping.signal })
    return (await other.query(findBlocker, { pid }))[0] ?? null
  }
  return { found: find().catch(() => null), stop: () => stopping.abort() }
}

/**
 * Whether other transactions hold a table, or wait for one that the step has locked.
 *
 * @see PostgreSQL documentation, appendix A: `lock_not_available`, `deadlock_detected`
 */
export const isBlocked = (code: string): boolean => code === lockNotAvailable || code === '40P01'

function blocked(blocker: Blocker | null, cause: unknown): AuthError {
  const name = blocker?.application ? ` (${blocker.application})` : ''
  // A prepared transaction has no process.
  const by = blocker?.pid
    ? `the transaction of process ${blocker.pid}${name}`
    : 'another transaction'
  // Any client gets the text of the error; operators also get that of its cause.
  const reason = `it is blocked by ${by}. Wait for its end, or end it, and start again`
  return serviceUnavailable(
    'The database is not migrated yet',
    Object.assign(new Error(reason), { code: codesOf(cause)[0] }),
  )
}
