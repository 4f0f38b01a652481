import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Expired } from '../../platform/sql/sweep-expired-rows.sql.ts'

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
