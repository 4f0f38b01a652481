import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Expired } from '../../platform/sql/sweep-expired-rows.sql.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'

const deleteAbandoned = statement<{ expiredSince: string; limit: number }>(
  'sweep_factors',
  (sql, $) => `delete from ${sql.table('factors')} where id in (
    select id from ${sql.table('factors')}
    where status = 'unverified' and created_at < ${$.expiredSince}
    limit ${$.limit} for update skip locked) returning id`,
)

/**
 * Deletes factors that were begun before `expiredSince` and not verified, up to `limit` at a time.
 *
 * @returns the number of deleted factors.
 */
export async function sweepFactors(
  sql: Queryable,
  { expiredSince, limit }: Expired,
): Promise<number> {
  const deleted = await sql.query(deleteAbandoned, {
    expiredSince: expiredSince.toISOString(),
    limit,
  })
  return deleted.length
}

/**
 * Returns a statement that deletes the factors of users.
 *
 * @param users a common table expression, or a subquery in parentheses, with their ids as `id`.
 * @param condition on the rows `f`.
 */
export const deleteFactorsOf = (sql: TableFragments, users: string, condition = 'true'): string =>
  `delete from ${sql.table('factors')} f using ${users} owner
      where ${condition} and f.user_id = owner.id`
