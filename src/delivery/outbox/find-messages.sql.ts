import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
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

type RetryParameters = { id: string; now: string; auditRows: Rows<'audit_entries'> }

const retry = statement<RetryParameters, { isTried: boolean }>(
  'retry_message',
  (sql, $) => `
    with tried as (
      update ${sql.table('outbox_messages')}
      set status = 'waiting', attempts = 0, next_attempt_at = ${$.now}, settled_at = null
      where id = ${$.id} and status in ('waiting', 'failed') returning id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from tried)
    )
    select true as "isTried" from tried
    union all select false from ${sql.table('outbox_messages')}
      where id = ${$.id} and status = 'sending'`,
)

/**
 * Makes a waiting or failed message due at once, and resets its attempts. One that is being sent is
 * skipped, so that it is not sent twice.
 *
 * @returns whether it was changed; null without such a message, or for one that was sent.
 */
export async function retryMessage(
  sql: Queryable,
  { id, now }: { id: string; now: Date },
  auditRows: Rows<'audit_entries'>,
): Promise<{ isTried: boolean } | null> {
  const [row] = await sql.query(retry, { id, now: now.toISOString(), auditRows })
  return row ?? null
}

const discard = statement<{ id: string; auditRows: Rows<'audit_entries'> }, { id: string }>(
  'discard_message',
  (sql, $) => `
    with discarded as (
      delete from ${sql.table('outbox_messages')}
      where id = ${$.id} and status in ('waiting', 'failed') returning id
    ), a as (
      ${sql.insertRows('audit_entries', $.auditRows)} where exists (select from discarded)
    )
    select id from discarded`,
)

/**
 * Deletes a waiting or failed message, which is not sent any more.
 *
 * @returns whether there was such a message; false for one that was sent or is being sent.
 */
export async function discardMessage(
  sql: Queryable,
  id: string,
  auditRows: Rows<'audit_entries'>,
): Promise<boolean> {
  const rows = await sql.query(discard, { id, auditRows })
  return rows.length > 0
}
