import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const deleteOldest = statement<{ before: string; limit: number }>(
  'sweep_audit',
  (sql, $) => `delete from ${sql.table('audit_entries')} where id = any(array(
    select id from ${sql.table('audit_entries')} where id < ${$.before} order by id
    limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Deletes entries older than `before`, the oldest first and up to `limit` at a time. Ids sort by
 * time.
 *
 * @returns the number of deleted entries.
 */
export async function sweepAudit(
  sql: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteOldest, { before: firstUuidAt(before), limit })
  return deleted.length
}
