import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { OutboxRow } from './outbox-row.ts'

/** The result of an attempt. */
export type DeliveryOutcome =
  | { status: 'sent'; carrierMessageId: string | null }
  | { status: 'waiting'; error: string; nextAttemptAt: Date }
  | { status: 'failed'; error: string }

type SettleParameters = {
  id: string
  status: DeliveryOutcome['status']
  carrierMessageId: string | null
  error: string | null
  nextAttemptAt: string | null
  settledAt: string | null
  lease: string | null
}

const settle = statement<SettleParameters>(
  'settle_message',
  (sql, $) => `
    update ${sql.table('outbox_messages')} set status = ${$.status},
      carrier_message_id = ${$.carrierMessageId}, last_error = ${$.error},
      next_attempt_at = ${$.nextAttemptAt}, settled_at = ${$.settledAt},
      body = case when ${$.status} = 'sent' then null else body end
    where id = ${$.id} and status <> 'sent'
      and (${$.status} = 'sent' or (status = 'sending' and next_attempt_at = ${$.lease}))`,
)

/**
 * Records the result of an attempt. Deletes the body of an accepted message.
 *
 * After the end of the lease, another instance may have claimed the message. A carrier's acceptance
 * is recorded nevertheless; any other late result is ignored.
 *
 * @param row as it was claimed.
 */
export async function settleMessage(
  sql: Queryable,
  { id, next_attempt_at: lease }: OutboxRow,
  outcome: DeliveryOutcome,
  now: Date,
): Promise<void> {
  await sql.query(settle, {
    id,
    status: outcome.status,
    carrierMessageId: outcome.status === 'sent' ? outcome.carrierMessageId : null,
    error: outcome.status === 'sent' ? null : outcome.error,
    nextAttemptAt: outcome.status === 'waiting' ? outcome.nextAttemptAt.toISOString() : null,
    settledAt: outcome.status === 'waiting' ? null : now.toISOString(),
    lease,
  })
}
