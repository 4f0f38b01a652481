import type { Queryable } from '../../kit/queryable.ts'

/** What came of an attempt. */
export type Outcome =
  | { status: 'sent'; carrierMessageId: string | null }
  | { status: 'waiting'; error: string; nextAttemptAt: Date }
  | { status: 'failed'; error: string }

/** Records what came of an attempt. The body of a message that was taken is forgotten. */
export async function settleMessage(
  sql: Queryable,
  id: string,
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
      where id = $1`,
    values: [
      id,
      outcome.status,
      outcome.status === 'sent' ? outcome.carrierMessageId : null,
      outcome.status === 'sent' ? null : outcome.error,
      outcome.status === 'waiting' ? outcome.nextAttemptAt.toISOString() : null,
      isSettled ? now.toISOString() : null,
    ],
  })
}
