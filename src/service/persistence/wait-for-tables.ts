import { setTimeout as sleep } from 'node:timers/promises'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable } from '../../platform/errors/request-errors.ts'
import { silentLogger } from '../../platform/observability/logger.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import { codesOf } from './describe-database-error.ts'
import { onceAtStart as unprepared } from './foreign-schema.ts'
import { type MigrationOptions, startPatience } from './migration-lock.ts'
import { isLockConflict } from './sql-states.ts'

const limitWaits = statement<{ ms: string }, { pid: number }>(
  'limit_lock_waits',
  (_, $) => `select pg_backend_pid() as pid, set_config('lock_timeout', ${$.ms}, true)`,
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
export async function retryWhileBlocked<T>(
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
      if (!codesOf(error).some(isLockConflict)) throw error
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
    Object.assign(new Error(reason), { code: codesOf(cause).find(isLockConflict) }),
  )
}
