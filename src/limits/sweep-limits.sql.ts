import { sharedInstant } from '../platform/sql/clock-set-back.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'

interface Idle {
  idleSeconds: number
  /** The instant that replaces the database's clock; null, as in production, for that clock. */
  databaseNow: Date | null
  limit: number
}

interface IdleBuckets extends Idle {
  /** The idle time of attempts at one-time tokens: the lifetime of the token. */
  triesIdleSeconds: number
}

/**
 * Deletes idle buckets, a limited number at a time.
 *
 * @returns the number of deleted rows.
 */
export async function sweepBuckets(
  sql: Queryable,
  { databaseNow, ...idle }: IdleBuckets,
): Promise<number> {
  const deleted = await sql.query(deleteBuckets, {
    ...idle,
    databaseNow: databaseNow?.toISOString() ?? null,
  })
  return deleted.length
}

/** Deletes idle attempt counters in the same way. */
export async function sweepPasswordAttempts(
  sql: Queryable,
  { databaseNow, ...idle }: Idle,
): Promise<number> {
  const values = { ...idle, databaseNow: databaseNow?.toISOString() ?? null }
  const deleted = await sql.query(deleteAttempts, values)
  return deleted.length
}

type IdleParameters = { idleSeconds: number; databaseNow: string | null; limit: number }

const isIdle = (instant: string, databaseNow: string, seconds: string): string =>
  `${instant} < ${sharedInstant(databaseNow)} - make_interval(secs => ${seconds}::float8)`

const deleteBuckets = statement<IdleParameters & { triesIdleSeconds: number }>(
  'sweep_rate_limit_buckets',
  (sql, $) => `delete from ${sql.table('rate_limit_buckets')} where key = any(array(
    select key from ${sql.table('rate_limit_buckets')} where ${isIdle('refilled_at', $.databaseNow, $.idleSeconds)}
      and (key not like 'code-tries:%' or ${isIdle('refilled_at', $.databaseNow, $.triesIdleSeconds)})
    order by refilled_at limit ${$.limit} for update skip locked)) returning 1`,
)

const deleteAttempts = statement<IdleParameters>(
  'sweep_password_attempts',
  (sql, $) => `delete from ${sql.table('password_attempts')} where key = any(array(
    select key from ${sql.table('password_attempts')} where ${isIdle('attempted_at', $.databaseNow, $.idleSeconds)}
    order by attempted_at limit ${$.limit} for update skip locked)) returning 1`,
)

const deleteAttemptsOfUser = statement<{ keys: string }>(
  'forget_attempts',
  (sql, $) => `delete from ${sql.table('password_attempts')} where key = any(${$.keys}::text[])`,
)

/** Deletes the attempt counters of a user who no longer has a password. */
export async function deletePasswordAttempts(
  sql: Queryable,
  keys: readonly string[],
): Promise<void> {
  await sql.query(deleteAttemptsOfUser, { keys: `{${keys.join()}}` })
}
