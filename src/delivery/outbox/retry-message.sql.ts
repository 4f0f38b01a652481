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
 * Has a message tried at once that waits or was given up; its pauses begin anew. One that is being sent
 * at this moment is left alone, so that it is not sent twice.
 *
 * @returns whether there is such a message. One that was sent is none.
 */
export async function retryMessage(sql: Queryable, id: string, now: Date): Promise<boolean> {
  const rows = await sql.query(retry, { id, now: now.toISOString() })
  return rows.length > 0
}
