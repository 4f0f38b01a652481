import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { OutboxStatus } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

export interface MessageFilter {
  /** Null for any. */
  status: OutboxStatus | null
  /** Only those stored before this one; null begins with the newest. */
  before: string | null
  limit: number
}

const find = statement<MessageFilter, { message: OutboxRow }>(
  'find_messages',
  (sql, $) => `
    select to_jsonb(m) || '{"body": null}' as message from ${sql.table('outbox_messages')} m
    where (${$.status}::text is null or status = ${$.status})
      and (${$.before}::uuid is null or id < ${$.before})
    order by id desc limit ${$.limit}`,
)

/** Returns messages of the outbox, the newest first, without their content. */
export async function findMessages(
  sql: Queryable,
  { status, before, limit }: MessageFilter,
): Promise<OutboxRow[]> {
  const rows = await sql.query(find, { status, before, limit })
  return rows.map(({ message }) => message)
}

const findOne = statement<{ id: string }, { message: OutboxRow }>(
  'find_message',
  (sql, $) => `
    select to_jsonb(m) as message from ${sql.table('outbox_messages')} m where id = ${$.id}`,
)

export async function findMessage(sql: Queryable, id: string): Promise<OutboxRow | null> {
  const [row] = await sql.query(findOne, { id })
  return row?.message ?? null
}
