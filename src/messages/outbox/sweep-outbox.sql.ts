import type { Queryable } from '../../sql/queryable.ts'
import { statement } from '../../sql/statement.ts'

const deleteSettled = statement<{ settledBefore: string; limit: number }>(
  'sweep_outbox',
  (sql, $) => `delete from ${sql.table('outbox_messages')} where id in (
    select id from ${sql.table('outbox_messages')}
    where settled_at < ${$.settledBefore} order by settled_at
    limit ${$.limit} for update skip locked) returning id`,
)

/**
 * Forgets messages that were sent or given up before then, a few at a time.
 *
 * @returns how many.
 */
export async function sweepOutbox(
  sql: Queryable,
  { settledBefore, limit }: { settledBefore: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteSettled, {
    settledBefore: settledBefore.toISOString(),
    limit,
  })
  return deleted.length
}
