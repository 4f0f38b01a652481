import { firstUuidAt } from '../kit/uuid.ts'
import type { Queryable } from '../sql/queryable.ts'

/**
 * Forgets what happened before then, the oldest first and a few at a time. Ids sort by time.
 *
 * @returns how many.
 */
export async function sweepAudit(
  sql: Queryable,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const entries = sql.table('audit_entries')
  const rows = await sql.query({
    name: 'sweep_audit',
    text: () => `delete from ${entries} where id in (
      select id from ${entries} where id < $1 order by id
      limit $2 for update skip locked) returning id`,
    values: [firstUuidAt(before), limit],
  })
  return rows.length
}
