import type { Queryable } from '../../sql/queryable.ts'

/**
 * Has a message tried at once that waits or was given up; its pauses begin anew. One that is being sent
 * at this moment is left alone, so that it is not sent twice.
 *
 * @returns whether there is such a message. One that was sent is none.
 */
export async function retryMessage(sql: Queryable, id: string, now: Date): Promise<boolean> {
  const outbox = sql.table('outbox_messages')
  const rows = await sql.query({
    name: 'retry_message',
    text: () => `
      with tried as (
        update ${outbox}
        set status = 'waiting', attempts = 0, next_attempt_at = $2, settled_at = null
        where id = $1 and status in ('waiting', 'failed') returning id
      )
      select id from tried
      union all select id from ${outbox} where id = $1 and status = 'sending'`,
    values: [id, now.toISOString()],
  })
  return rows.length > 0
}
