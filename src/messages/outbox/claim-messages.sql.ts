import type { Queryable } from '../../kit/queryable.ts'
import type { OutboxRow } from './outbox-row.ts'

export interface Claim {
  now: Date
  limit: number
  /** Until when the messages are ours: should this process die, another one tries again after it. */
  leaseUntil: Date
}

/** Takes messages that are due, the longest waiting first. Another instance passes them over. */
export async function claimMessages(
  sql: Queryable,
  { now, limit, leaseUntil }: Claim,
): Promise<OutboxRow[]> {
  const outbox = sql.table('outbox_messages')
  const rows = await sql.query<{ message: OutboxRow }>({
    name: 'claim_messages',
    text: () => `
      update ${outbox} m set attempts = attempts + 1, next_attempt_at = $3
      where id in (
        select id from ${outbox} where next_attempt_at <= $1
        order by next_attempt_at limit $2 for update skip locked)
      returning to_jsonb(m) as message`,
    values: [now.toISOString(), limit, leaseUntil.toISOString()],
  })
  return rows.map(({ message }) => message)
}
