import { storableText } from '../../platform/kit/storable-text.ts'
import type { Queryable } from '../../platform/sql/queryable.ts'
import { statement } from '../../platform/sql/statement.ts'
import type { OutboxRow } from './outbox-row.ts'

/** The result of an attempt. Without an error the message waits for its first one. */
export type DeliveryOutcome =
  | { status: 'sent'; carrierMessageId: string | null }
  | {
      status: 'waiting'
      error: string | null
      nextAttemptAt: Date
      /** Whether the carrier was not called, so that the attempt does not count. */
      isDeferred?: boolean
    }
  | { status: 'failed'; error: string }

/** An attempt that has ended. */
export interface EndedAttempt {
  /** The message as it was claimed. */
  row: Pick<OutboxRow, 'id' | 'next_attempt_at'>
  outcome: DeliveryOutcome
}

/**
 * More results than are recorded together. With this constant PostgreSQL knows that it will not
 * read the whole table.
 */
const mostAtOnce = 100

const settle = statement<{ results: string; now: string }>(
  'settle_messages',
  (sql, $) => `
    update ${sql.table('outbox_messages')} m set status = r.status,
      carrier_message_id = r.carrier_message_id, last_error = r.error,
      next_attempt_at = r.next_attempt_at,
      attempts = case when r.is_deferred then greatest(m.attempts - 1, 0) else m.attempts end,
      settled_at = case when r.status = 'waiting' then null else ${$.now}::timestamptz end,
      body = case when r.status = 'sent' then null else m.body end
    from (
      select * from jsonb_to_recordset(${$.results}::jsonb) as result (id uuid, status text,
        carrier_message_id text, error text, next_attempt_at timestamptz, is_deferred boolean,
        lease timestamptz)
      limit ${mostAtOnce}
    ) r
    where m.id = r.id and m.status <> 'sent'
      and (r.status = 'sent' or (m.status = 'sending' and m.next_attempt_at is not distinct from r.lease))`,
)

/**
 * Records the results of attempts, {@link mostAtOnce} at most. Deletes the bodies of accepted
 * messages.
 *
 * After the end of its lease, another instance may have claimed a message. A carrier's acceptance
 * is recorded nevertheless; any other late result is ignored.
 *
 * Carriers may return any text. A result that could not be stored would send the message again.
 */
export async function settleMessages(
  sql: Queryable,
  ended: readonly EndedAttempt[],
  now: Date,
): Promise<void> {
  const results = ended.map(({ row, outcome }) => ({
    id: row.id,
    lease: row.next_attempt_at,
    status: outcome.status,
    carrier_message_id: outcome.status === 'sent' ? storableText(outcome.carrierMessageId) : null,
    error: outcome.status === 'sent' ? null : storableText(outcome.error),
    next_attempt_at: outcome.status === 'waiting' ? outcome.nextAttemptAt.toISOString() : null,
    is_deferred: outcome.status === 'waiting' && outcome.isDeferred === true,
  }))
  await sql.query(settle, { results: JSON.stringify(results), now: now.toISOString() })
}
