import { firstUuidAt } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { Rows } from '../../platform/sql/tables.ts'
import type { Channel, OutboxStatus } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

interface MessageFilter {
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

/** The number of a channel's waiting messages, and the time of the oldest. */
export interface Backlog {
  channel: Channel
  messages: number
  oldestAt: Date
}

const count = statement<
  Record<never, never>,
  { channel: Channel; messages: string | number; oldest_at: string }
>(
  'count_backlog',
  (sql) => `
    select channel, count(*) as messages, min(created_at) as oldest_at
    from ${sql.table('outbox_messages')} where next_attempt_at is not null group by channel`,
)

/** Returns the messages that wait or are being sent, by channel. */
export async function findBacklog(sql: Queryable): Promise<Backlog[]> {
  const rows = await sql.query(count, {})
  return rows.map(({ channel, messages, oldest_at }) => ({
    channel,
    messages: Number(messages),
    oldestAt: new Date(oldest_at),
  }))
}

const deleteSettled = statement<{ settledBefore: string; firstId: string; limit: number }>(
  'sweep_outbox',
  (sql, $) => `delete from ${sql.table('outbox_messages')} where id = any(array(
    select id from ${sql.table('outbox_messages')}
    where id < ${$.firstId} and settled_at < ${$.settledBefore} order by id
    limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Deletes messages that were sent or failed before this time, a few at a time. They were stored
 * before it, too, so their ids, which sort by time, delimit the search.
 *
 * @returns their number.
 */
export async function sweepOutbox(
  sql: Queryable,
  { settledBefore, limit }: { settledBefore: Date; limit: number },
): Promise<number> {
  const deleted = await sql.query(deleteSettled, {
    settledBefore: settledBefore.toISOString(),
    firstId: firstUuidAt(settledBefore),
    limit,
  })
  return deleted.length
}

const giveUpWaiting = statement<{ before: string; now: string; limit: number }>(
  'give_up_waiting_messages',
  (sql, $) => `update ${sql.table('outbox_messages')}
    set status = 'failed', next_attempt_at = null, settled_at = ${$.now},
      last_error = coalesce(last_error, 'no carrier accepted it in time')
    where id = any(array(
      select id from ${sql.table('outbox_messages')}
      where id < ${$.before} and next_attempt_at is not null
        and (status = 'waiting' or next_attempt_at < ${$.now})
      order by id limit ${$.limit} for update skip locked)) returning id`,
)

/**
 * Ends messages that were stored before this time and still wait, the oldest first and a few at a
 * time: those without a carrier, and events after others whose hook fails.
 *
 * @returns their number.
 */
export async function giveUpWaitingMessages(
  sql: Queryable,
  { before, now, limit }: { before: Date; now: Date; limit: number },
): Promise<number> {
  const values = { before: firstUuidAt(before), now: now.toISOString(), limit }
  const givenUp = await sql.query(giveUpWaiting, values)
  return givenUp.length
}
