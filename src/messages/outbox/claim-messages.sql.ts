import type { Queryable } from '../../sql/queryable.ts'
import { statement } from '../../sql/statement.ts'
import type { Channel } from './message.ts'
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

type ClaimParameters = { now: string; vacancies: string; leaseUntil: string }

const claim = statement<ClaimParameters, { message: OutboxRow }>(
  'claim_messages',
  (sql, $) => `
    with due as materialized (
      select each.id
      from jsonb_to_recordset(${$.vacancies}::jsonb) as vacancy (channel text, count int),
        lateral (
          select id from ${sql.table('outbox_messages')}
          where channel = vacancy.channel and next_attempt_at <= ${$.now}
          order by next_attempt_at limit vacancy.count for update skip locked
        ) each
    )
    update ${sql.table('outbox_messages')} m
    set status = 'sending', attempts = attempts + 1, next_attempt_at = ${$.leaseUntil}
    from due where m.id = due.id
    returning to_jsonb(m) as message`,
)

/**
 * Takes messages that are due, of each channel those that wait longest. Another instance passes them
 * over, and this one passes over channels that only a newer version knows.
 */
export async function claimMessages(
  sql: Queryable,
  { now, vacancies, leaseUntil }: Claim,
): Promise<OutboxRow[]> {
  const rows = await sql.query(claim, {
    now: now.toISOString(),
    vacancies: JSON.stringify(vacancies),
    leaseUntil: leaseUntil.toISOString(),
  })
  return rows.map(({ message }) => message)
}
