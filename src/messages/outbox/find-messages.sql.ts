import type { Queryable } from '../../sql/queryable.ts'
import type { OutboxRow } from './outbox-row.ts'
import type { OutboxStatus } from './outbox-status.ts'

export interface MessageFilter {
  /** Null for any. */
  status: OutboxStatus | null
  /** Only those stored before this one; null begins with the newest. */
  before: string | null
  limit: number
}

/** Messages of the outbox, the newest first, without what they say. */
export async function findMessages(
  sql: Queryable,
  { status, before, limit }: MessageFilter,
): Promise<OutboxRow[]> {
  const rows = await sql.query<{ message: OutboxRow }>({
    name: 'find_messages',
    text: () => `
      select to_jsonb(m) || '{"body": null}' as message from ${sql.table('outbox_messages')} m
      where ($1::text is null or status = $1) and ($2::uuid is null or id < $2)
      order by id desc limit $3`,
    values: [status, before, limit],
  })
  return rows.map(({ message }) => message)
}

export async function findMessage(sql: Queryable, id: string): Promise<OutboxRow | null> {
  const [row] = await sql.query<{ message: OutboxRow }>({
    name: 'find_message',
    text: () =>
      `select to_jsonb(m) as message from ${sql.table('outbox_messages')} m where id = $1`,
    values: [id],
  })
  return row?.message ?? null
}
