import type { Queryable } from '../sql/queryable.ts'
import type { TableName } from '../sql/tables.ts'

interface Idle {
  idleSince: Date
  limit: number
}

interface IdleBuckets extends Idle {
  /** The same of the tries of one-time tokens, which count for as long as the token lives. */
  triesIdleSince: Date
}

/**
 * Forgets buckets that nobody touched since then, a few at a time.
 *
 * @returns how many.
 */
export const sweepBuckets = (
  sql: Queryable,
  { triesIdleSince, ...idle }: IdleBuckets,
): Promise<number> =>
  sweep(sql, 'rate_limit_buckets', 'refilled_at', {
    ...idle,
    condition: `(key not like 'code-tries:%' or refilled_at < $3)`,
    values: [triesIdleSince.toISOString()],
  })

/** The same of passwords that were tried. */
export const sweepPasswordAttempts = (sql: Queryable, idle: Idle): Promise<number> =>
  sweep(sql, 'password_attempts', 'attempted_at', idle)

async function sweep(
  sql: Queryable,
  table: TableName,
  touchedAt: string,
  {
    idleSince,
    limit,
    condition = 'true',
    values = [],
  }: Idle & { condition?: string; values?: readonly string[] },
): Promise<number> {
  const rows = await sql.query({
    name: `sweep_${table}`,
    text: () => `delete from ${sql.table(table)} where key in (
      select key from ${sql.table(table)} where ${touchedAt} < $1 and ${condition}
      order by ${touchedAt} limit $2 for update skip locked) returning 1`,
    values: [idleSince.toISOString(), limit, ...values],
  })
  return rows.length
}
