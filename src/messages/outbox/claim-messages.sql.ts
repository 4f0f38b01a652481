import type { Queryable } from '../../sql/queryable.ts'
import { statement } from '../../sql/statement.ts'
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
 * to, were the count of a vacancy alone in the way, and compile the statement anew each time, which takes half a second.
 */
const mostAtOnce = 100

type ClaimParameters = { now: string; vacancies: string; leaseUntil: string }

const claim = statement<ClaimParameters, { message: OutboxRow }>(
  'claim_messages',
  (sql, $) => `
    with due as materialized (
      select each.id
      from jsonb_to_recordset(${$.vacancies}::jsonb) as vacancy (channel text, count int, in_order boolean),
        lateral (
          select id from (
            select id from ${sql.table('outbox_messages')} outbox
            where channel = vacancy.channel and next_attempt_at <= ${$.now}
              and not (vacancy.in_order and exists (
                select from ${sql.table('outbox_messages')} earlier
                where earlier.channel = outbox.channel and earlier.recipient = outbox.recipient
                  and earlier.id < outbox.id and earlier.next_attempt_at is not null))
            order by next_attempt_at limit ${mostAtOnce} for update skip locked
          ) first
          limit vacancy.count
        ) each
    )
    update ${sql.table('outbox_messages')} m
    set status = 'sending', attempts = attempts + 1, next_attempt_at = ${$.leaseUntil}
    from due where m.id = due.id
    returning to_jsonb(m) as message`,
)

/**
 * Takes messages that are due, of each channel those that wait longest. Another instance passes them
 * over, and this one passes over channels that only a newer version knows. Where order counts, of those to one recipient
 * only the first is taken.
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
  })
  return rows.map(({ message }) => message)
}
