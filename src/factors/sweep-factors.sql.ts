import type { Queryable } from '../sql/queryable.ts'
import type { Placeholders } from '../sql/statement.ts'
import { statement } from '../sql/statement.ts'
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
  sweep(sql, deleteFactors, expired)

/** The same of challenges that expired. */
export const sweepChallenges = (sql: Queryable, expired: Expired): Promise<number> =>
  sweep(sql, deleteChallenges, expired)

type ExpiredParameters = { expiredSince: string; limit: number }

const deleteExpired = (
  table: TableName,
  condition: ($: Placeholders<ExpiredParameters>) => string,
) =>
  statement<ExpiredParameters>(
    `sweep_${table}`,
    (sql, $) => `delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)} where ${condition($)}
      limit ${$.limit} for update skip locked) returning id`,
  )

const deleteFactors = deleteExpired(
  'factors',
  ($) => `status = 'unverified' and created_at < ${$.expiredSince}`,
)

const deleteChallenges = deleteExpired('challenges', ($) => `expires_at < ${$.expiredSince}`)

async function sweep(
  sql: Queryable,
  deletion: typeof deleteFactors,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const deleted = await sql.query(deletion, { expiredSince: expiredSince.toISOString(), limit })
  return deleted.length
}
