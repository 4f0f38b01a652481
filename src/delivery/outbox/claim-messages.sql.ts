import { randomUUID } from 'node:crypto'
import { firstUuidAt, nilUuid } from '../../platform/kit/uuid.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { type Channel, channelsInOrder } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

/** The number of free slots of a channel. */
export interface Vacancy {
  channel: Channel
  count: number
}

export interface Claim {
  now: Date
  vacancies: readonly Vacancy[]
  /** Returns the duration of a claim: if this process ends, another one retries after it. */
  leaseMsOf(channel: Channel): number
  /**
   * The search for messages of processes that ended: those without a recorded result that were
   * stored since this time (null: ever) and before the lease. See `Outbox.claimNew`. Default: none.
   */
  abandoned?: { since: Date | null } | undefined
}

/**
 * More slots than any channel has. With this constant PostgreSQL knows that it will not read the
 * whole table. With only a parameter it would expect to, and compile the statement for each
 * execution, which takes half a second.
 */
const mostAtOnce = 100

/** The number of messages of an ordered channel that are read to find the next ones. */
const readAtOnce = 500

/** The number of recipients that are checked if messages of few recipients fill that number. */
const recipientsAtOnce = 1000

type ClaimParameters = {
  now: string
  vacancies: string
  start: string
  /** Ids sort by time. */
  abandonedFrom: string
  abandonedTo: string
}

/** Returns a condition of constants: PostgreSQL compares it with that of the index. */
const isOrdered = (message: string): string =>
  `${message}.channel in (${channelsInOrder.map((channel) => `'${channel}'`).join()})`

/** Returns a condition: no earlier message of `outbox` waits for the recipient. */
const isFirst = (sql: TableFragments): string => `not exists (
          select from ${sql.table('outbox_messages')} earlier
          where ${isOrdered('earlier')} and earlier.channel = outbox.channel
            and earlier.recipient = outbox.recipient
            and earlier.id < outbox.id and earlier.next_attempt_at is not null)`

/** A condition: the process that stored the message has to send it. */
const isClaimedNew = `status = 'sending' and next_attempt_at is null`

/** Returns the first waiting message of the next recipient of a channel. */
const nextHead = (sql: TableFragments, channel: string, condition: string): string => `
          select id, recipient from ${sql.table('outbox_messages')} m
          where ${isOrdered('m')} and m.channel = ${channel} and m.next_attempt_at is not null
            and ${condition}
          order by m.recipient, m.id limit 1`

const claim = statement<ClaimParameters, { message: OutboxRow; is_abandoned: boolean }>(
  'claim_messages',
  (sql, $) => `
    with recursive vacancy as materialized (
      select * from jsonb_to_recordset(${$.vacancies}::jsonb) as v (
        channel text, count int, in_order boolean, lease_until timestamptz, stored_before uuid)
    ), longest as materialized (
      select outbox.* from vacancy, lateral (
        select id, channel, recipient from ${sql.table('outbox_messages')} o
        where o.channel = vacancy.channel and o.next_attempt_at <= ${$.now}
        order by o.next_attempt_at limit ${readAtOnce}
      ) outbox
      where vacancy.in_order
    ), crowded as materialized (
      select channel from longest group by channel having count(*) = ${readAtOnce}
    ), heads as (
      select crowded.channel, part.until, head.* from crowded,
        (values (${$.start}::text, null), ('', ${$.start}::text)) as part (since, until),
        lateral (${nextHead(sql, 'crowded.channel', 'm.recipient >= part.since')}) head
      union all
      select heads.channel, heads.until, head.* from heads,
        lateral (${nextHead(sql, 'heads.channel', 'm.recipient > heads.recipient')}) head
      where heads.until is null or heads.recipient < heads.until
    ), candidates as materialized (
      select outbox.id, outbox.channel from longest outbox where ${isFirst(sql)}
      union
      select id, channel from (select id, channel from heads limit ${recipientsAtOnce}) found
    ), abandoned as materialized (
      select id, channel from ${sql.table('outbox_messages')} o
      where id >= ${$.abandonedFrom} and id < ${$.abandonedTo} and ${isClaimedNew}
        and id < (select v.stored_before from vacancy v where v.channel = o.channel)
      order by id limit ${readAtOnce}
    ), due as materialized (
      select each.id from vacancy, lateral (
        select id from (
          select id from ${sql.table('outbox_messages')} outbox
          where channel = vacancy.channel and next_attempt_at <= ${$.now}
          order by next_attempt_at limit ${mostAtOnce} for update skip locked
        ) first
        union all
        select id from (
          select id from ${sql.table('outbox_messages')} outbox
          where id in (select a.id from abandoned a where a.channel = vacancy.channel) and ${isClaimedNew}
          order by id limit ${mostAtOnce} for update skip locked
        ) left_over
        limit vacancy.count
      ) each
      where not vacancy.in_order
      union all
      select each.id from vacancy, lateral (
        select id from (
          select id from ${sql.table('outbox_messages')} outbox
          where id in (select c.id from candidates c where c.channel = vacancy.channel)
            and next_attempt_at <= ${$.now}
          order by next_attempt_at limit ${mostAtOnce} for update skip locked
        ) first
        limit vacancy.count
      ) each
      where vacancy.in_order
    )
    update ${sql.table('outbox_messages')} m
    set status = 'sending', attempts = attempts + 1, next_attempt_at = v.lease_until
    from due, vacancy v where m.id = due.id and v.channel = m.channel
    returning to_jsonb(m) as message, m.id in (select id from abandoned) as is_abandoned`,
)

export interface ClaimedMessages {
  rows: OutboxRow[]
  /** Whether some of them belonged to processes that ended: there may be more. */
  areAbandoned: boolean
}

/**
 * Claims messages that are due, of each channel the oldest. Other instances skip them, and this one
 * skips channels that only a newer version knows. In ordered channels only the first message to a
 * recipient is claimed. If many messages of few recipients wait, the first ones of others are found
 * recipient by recipient, from a random position.
 */
export async function claimMessages(
  sql: Queryable,
  { now, vacancies, leaseMsOf, abandoned }: Claim,
): Promise<ClaimedMessages> {
  const at = (ms: number) => new Date(now.getTime() + ms)
  const found = await sql.query(claim, {
    now: now.toISOString(),
    vacancies: JSON.stringify(
      vacancies.map((one) => ({
        ...one,
        in_order: channelsInOrder.includes(one.channel),
        lease_until: at(leaseMsOf(one.channel)).toISOString(),
        stored_before: firstUuidAt(at(-leaseMsOf(one.channel))),
      })),
    ),
    start: randomUUID(),
    abandonedFrom: abandoned?.since ? firstUuidAt(abandoned.since) : nilUuid,
    abandonedTo: abandoned ? firstUuidAt(now) : nilUuid,
  })
  return {
    rows: found.map(({ message }) => message),
    areAbandoned: found.some(({ is_abandoned }) => is_abandoned),
  }
}
