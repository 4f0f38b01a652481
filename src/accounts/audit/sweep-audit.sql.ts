import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const deleteOldest = statement<{ before: string; limit: number }>(
  'sweep_audit',
  (sql, $) => `delete from ${sql.table('audit_entries')} where id in (
    select id from ${sql.table('audit_entries')} where id < ${$.before} order by id
    limit ${$.limit} for update skip locked) returning id`,
)

/**
 * Forgets what happened before then, the oldest first and a few at a time. Ids sort by time.
 *
 * @returns how many.
 */
export async function sweepAudit(
  sql: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteOldest, { before: firstUuidAt(before), limit })
  return deleted.length
}
