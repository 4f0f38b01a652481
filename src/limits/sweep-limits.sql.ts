import type { Queryable } from '../platform/sql/queryable.ts'
import { statement } from '../platform/sql/statement.ts'

interface Idle {
  idleSince: Date
  limit: number
}

interface IdleBuckets extends Idle {
  /** The same for attempts at one-time tokens, which are counted for the lifetime of the token. */
  triesIdleSince: Date
}

/**
 * Deletes idle buckets, a limited number at a time.
 *
 * @returns the number of deleted rows.
 */
export async function sweepBuckets(
  sql: Queryable,
  { idleSince, triesIdleSince, limit }: IdleBuckets,
): Promise<number> {
  const deleted = await sql.query(deleteBuckets, {
    idleSince: idleSince.toISOString(),
    triesIdleSince: triesIdleSince.toISOString(),
    limit,
  })
  return deleted.length
}

/** Deletes idle attempt counters in the same way. */
export async function sweepPasswordAttempts(
  sql: Queryable,
  { idleSince, limit }: Idle,
): Promise<number> {
  const deleted = await sql.query(deleteAttempts, { idleSince: idleSince.toISOString(), limit })
  return deleted.length
}

type IdleParameters = { idleSince: string; limit: number }

const deleteBuckets = statement<IdleParameters & { triesIdleSince: string }>(
  'sweep_rate_limit_buckets',
  (sql, $) => `delete from ${sql.table('rate_limit_buckets')} where key in (
    select key from ${sql.table('rate_limit_buckets')} where refilled_at < ${$.idleSince}
      and (key not like 'code-tries:%' or refilled_at < ${$.triesIdleSince})
    order by refilled_at limit ${$.limit} for update skip locked) returning 1`,
)

const deleteAttempts = statement<IdleParameters>(
  'sweep_password_attempts',
  (sql, $) => `delete from ${sql.table('password_attempts')} where key in (
    select key from ${sql.table('password_attempts')} where attempted_at < ${$.idleSince}
    order by attempted_at limit ${$.limit} for update skip locked) returning 1`,
)
