import type { Queryable } from '../../sql/queryable.ts'
import type { OutboxRow } from './outbox-row.ts'

/** What came of an attempt. */
export type Outcome =
  | { status: 'sent'; carrierMessageId: string | null }
  | { status: 'waiting'; error: string; nextAttemptAt: Date }
  | { status: 'failed'; error: string }

/**
 * Records what came of an attempt. The body of a message that was taken is forgotten.
 *
 * Who comes late, after the lease that the claim gave, may find the message with somebody else. That a
 * carrier took it is true all the same; any other news is out of date.
 *
 * @param row as it was claimed.
 */
export async function settleMessage(
  sql: Queryable,
  { id, next_attempt_at: lease }: OutboxRow,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  const isSettled = outcome.status !== 'waiting'
  await sql.query({
    name: 'settle_message',
    text: () => `
      update ${sql.table('outbox_messages')} set status = $2, carrier_message_id = $3,
        last_error = $4, next_attempt_at = $5, settled_at = $6,
        body = case when $2 = 'sent' then null else body end
      where id = $1 and status <> 'sent'
        and ($2 = 'sent' or (status = 'sending' and next_attempt_at = $7))`,
    values: [
      id,
      outcome.status,
      outcome.status === 'sent' ? outcome.carrierMessageId : null,
      outcome.status === 'sent' ? null : outcome.error,
      outcome.status === 'waiting' ? outcome.nextAttemptAt.toISOString() : null,
      isSettled ? now.toISOString() : null,
      lease,
    ],
  })
}
