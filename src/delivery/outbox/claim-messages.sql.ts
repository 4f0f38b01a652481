import { randomUUID } from 'node:crypto'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { TableFragments } from '../../platform/sql/tables.ts'
import { type Channel, channelsInOrder } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

/** How many more messages a channel can take. */
export interface Vacancy {
  channel: Channel
  count: number
}

export interface Claim {
  now: Date
  vacancies: readonly Vacancy[]
  /** Until when the messages are ours: should this process die, another one tries again after it. */
  leaseUntil: Date
}

/**
 * More than any channel has places. By this number PostgreSQL knows that it will not read the whole table: it would expect
 * to, were the count of a vacancy alone in the way, and compile the statement again each time, which takes half a second.
 */
const mostAtOnce = 100

/** How many messages of a channel in order are read to find those whose turn it is. */
const readAtOnce = 500

/** How many recipients are looked at where messages of few of them fill what is read. */
const recipientsAtOnce = 1000

type ClaimParameters = { now: string; vacancies: string; leaseUntil: string; start: string }

/** A condition: no earlier message of `outbox` waits for the recipient. */
const isFirst = (sql: TableFragments): string => `not exists (
          select from ${sql.table('outbox_messages')} earlier
          where earlier.channel = outbox.channel and earlier.recipient = outbox.recipient
            and earlier.id < outbox.id and earlier.next_attempt_at is not null)`

/** The first waiting message of the next recipient of a channel. */
const nextHead = (sql: TableFragments, channel: string, condition: string): string => `
          select id, recipient from ${sql.table('outbox_messages')} m
          where m.channel = ${channel} and m.next_attempt_at is not null and ${condition}
          order by m.recipient, m.id limit 1`

const claim = statement<ClaimParameters, { message: OutboxRow }>(
  'claim_messages',
  (sql, $) => `
    with recursive vacancy as materialized (
      select * from jsonb_to_recordset(${$.vacancies}::jsonb) as v (channel text, count int, in_order boolean)
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
    ), due as materialized (
      select each.id from vacancy, lateral (
        select id from (
          select id from ${sql.table('outbox_messages')} outbox
          where channel = vacancy.channel and next_attempt_at <= ${$.now}
          order by next_attempt_at limit ${mostAtOnce} for update skip locked
        ) first
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
    set status = 'sending', attempts = attempts + 1, next_attempt_at = ${$.leaseUntil}
    from due where m.id = due.id
    returning to_jsonb(m) as message`,
)

/**
 * Takes messages that are due, of each channel those that wait longest. Another instance passes them
 * over, and this one passes over channels that only a newer version knows. Where order counts, of those to one recipient
 * only the first is taken; where those of few recipients wait in great numbers, the first ones of others are looked
 * for recipient by recipient, from anywhere.
 */
export async function claimMessages(
  sql: Queryable,
  { now, vacancies, leaseUntil }: Claim,
): Promise<OutboxRow[]> {
  const rows = await sql.query(claim, {
    now: now.toISOString(),
    vacancies: JSON.stringify(
      vacancies.map((one) => ({ ...one, in_order: channelsInOrder.includes(one.channel) })),
    ),
    leaseUntil: leaseUntil.toISOString(),
    start: randomUUID(),
  })
  return rows.map(({ message }) => message)
}
