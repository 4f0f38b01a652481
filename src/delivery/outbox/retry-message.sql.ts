import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'

const retry = statement<{ id: string; now: string }>(
  'retry_message',
  (sql, $) => `
    with tried as (
      update ${sql.table('outbox_messages')}
      set status = 'waiting', attempts = 0, next_attempt_at = ${$.now}, settled_at = null
      where id = ${$.id} and status in ('waiting', 'failed') returning id
    )
    select id from tried
    union all select id from ${sql.table('outbox_messages')}
      where id = ${$.id} and status = 'sending'`,
)

/**
 * Makes a waiting or failed message due at once, and resets its attempts. One that is being sent is
 * skipped, so that it is not sent twice.
 *
 * @returns whether there is such a message; false for one that was sent.
 */
export async function retryMessage(sql: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await sql.query(retry, { id, now: now.toISOString() })
  return rows.length > 0
}
