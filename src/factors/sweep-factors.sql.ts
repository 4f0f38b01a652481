import type { Queryable } from '../sql/queryable.ts'
import type { TableName } from '../sql/tables.ts'

interface Expired {
  expiredSince: Date
  limit: number
}

/**
 * Forgets factors that were begun before then and that nobody went on with, a few at a time.
 *
 * @returns how many.
 */
export const sweepFactors = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, 'factors', `status = 'unverified' and created_at < $1`, expired)

/** The same of challenges that expired. */
export const sweepChallenges = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, 'challenges', 'expires_at < $1', expired)

async function sweep(
  sql: Queryable,
  table: TableName,
  condition: string,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const rows = await sql.query({
    name: `sweep_${table}`,
    text: () => `delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where ${condition}
      limit $2 for update skip locked) returning id`,
    values: [expiredSince.toISOString(), limit],
  })
  return rows.length
}
