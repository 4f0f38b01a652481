import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { codesOf } from './describe-database-error.ts'
import { onceAtStart as unprepared } from './foreign-schema.ts'
import type { Namespace } from './table-names.ts'

/** How long a migration waits for locks. */
export interface LockPatience {
  /**
   * The time for which a step waits for a table. All later statements on the table wait behind it,
   * so sign-ins of running instances wait as long.
   */
  tableMs: number
  /** The pause until the next attempt. */
  pauseMs: number
  /** The time after which a migration that is still blocked fails. */
  totalMs: number
}

export interface MigrationOptions {
  /** Default: nothing is logged. */
  logger?: Logger
  patience?: LockPatience
}

export const usualPatience: LockPatience = { tableMs: 2_000, pauseMs: 3_000, totalMs: 600_000 }

/** The pause until the lock of migrations is tried again. */
const turnMs = 250

const tryLock = statement<{ key: string }, { taken: boolean }>(
  'try_lock_migrations',
  (_, $) => `select pg_try_advisory_xact_lock(hashtextextended(${$.key}, 0)) as taken`,
  { unprepared },
)

const limitWaits = statement<{ ms: string }>(
  'limit_lock_waits',
  (_, $) => `select set_config('lock_timeout', ${$.ms}, true)`,
  { unprepared },
)

/**
 * Locks migrations until the transaction ends. Services that share a schema use the same lock,
 * because both create it. The wait for another instance has no end: its steps may take long.
 */
export async function lockMigrations(
  sql: Queryable,
  { schema }: Namespace,
  { logger = silentLogger }: MigrationOptions,
): Promise<void> {
  const isTaken = async () => (await sql.query(tryLock, { key: lockKey(schema) }))[0]?.taken
  if (await isTaken()) return
  logger.info({}, 'another instance migrates the database: this one waits')
  do await sleep(turnMs)
  while (!(await isTaken()))
}

/** The key of the advisory lock of migrations, before it is hashed. */
export const lockKey = (schema: string): string => `latchkey:migrations:${schema}`

/** Limits the waits for tables until the transaction ends. */
export async function limitLockWaits(
  sql: Queryable,
  { patience = usualPatience }: MigrationOptions,
): Promise<void> {
  await sql.query(limitWaits, { ms: String(patience.tableMs) })
}

interface Blocker {
  pid: number
  application: string | null
  seconds: number | null
}

const oldest = statement<{ schema: string }, Blocker>(
  'find_migration_blocker',
  (_, $) => `
    select a.pid, nullif(a.application_name, '') as application,
      extract(epoch from statement_timestamp() - a.xact_start)::int as seconds
    from pg_stat_activity a
    where a.pid <> pg_backend_pid() and a.pid in (
      select l.pid from pg_locks l join pg_class c on c.oid = l.relation
      where l.granted and c.relnamespace = (select oid from pg_namespace where nspname = ${$.schema})
        and l.database = (select oid from pg_database where datname = current_database()))
    order by a.xact_start limit 1`,
  { unprepared },
)

/**
 * Runs the work again while other transactions hold its tables.
 *
 * @param work in a transaction with {@link limitLockWaits}.
 * @throws AuthError `service_unavailable` (503) when it is blocked for the whole time.
 */
export async function whileBlocked<T>(
  sql: Queryable,
  { schema }: Namespace,
  { logger = silentLogger, patience = usualPatience }: MigrationOptions,
  work: () => Promise<T>,
): Promise<T> {
  const endsAt = performance.now() + patience.totalMs
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!codesOf(error).includes(lockNotAvailable)) throw error
      const [blocker] = await sql.query(oldest, { schema })
      if (performance.now() >= endsAt) throw blocked(blocker, patience.totalMs, error)
      if (attempt === 0) logger.warn({ blocker }, 'a transaction blocks the migration, which waits')
      await sleep(patience.pauseMs)
    }
  }
}

const lockNotAvailable = '55P03'

function blocked(blocker: Blocker | undefined, totalMs: number, cause: unknown): AuthError {
  const name = blocker?.application ? ` (${blocker.application})` : ''
  const by = blocker ? `the transaction of process ${blocker.pid}${name}` : 'another transaction'
  const minutes = Math.ceil(totalMs / 60_000)
  return serviceUnavailable(
    `The migration was blocked by ${by} for ${minutes} minutes: end that transaction, then start again`,
    cause,
  )
}
