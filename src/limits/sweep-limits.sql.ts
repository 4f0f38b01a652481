import type { Queryable } from '../kit/queryable.ts'

interface Idle {
  idleSince: Date
  limit: number
}

/**
 * Forgets buckets that nobody touched since then, a few at a time.
 *
 * @returns how many.
 */
export const sweepBuckets = (sql: Queryable, idle: Idle): Promise<number> =>
  sweep(sql, 'rate_limit_buckets', 'refilled_at', idle)

/** The same of passwords that were tried. */
export const sweepPasswordAttempts = (sql: Queryable, idle: Idle): Promise<number> =>
  sweep(sql, 'password_attempts', 'attempted_at', idle)

async function sweep(
  sql: Queryable,
  table: string,
  touchedAt: string,
  { idleSince, limit }: Idle,
): Promise<number> {
  const rows = await sql.query({
    name: `sweep_${table}`,
    text: () => `delete from ${sql.table(table)} where key in (
      select key from ${sql.table(table)} where ${touchedAt} < $1
      order by ${touchedAt} limit $2 for update skip locked) returning 1`,
    values: [idleSince.toISOString(), limit],
  })
  return rows.length
}
