import type { Channel, OutboxStatus } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

/** A message of the outbox, without its content. */
export interface OutboxRecord {
  id: string
  /**
   * The channel: `email_hook` and `sms_hook` are the application's own senders, `user_hook`
   * receives new users, `events` receives events.
   */
  channel: Channel
  /** The kind, such as `recovery`. */
  kind: string
  /** Address or number; for an event, the id of the user. */
  recipient: string
  status: OutboxStatus
  /** The number since it was stored or last retried manually. */
  attempts: number
  createdAt: Date
  /**
   * For a waiting message: the next attempt. For one that is being sent: the end of the sender's
   * claim; null if that is the process that stored it.
   */
  nextAttemptAt: Date | null
  /** When it was sent or failed finally. */
  settledAt: Date | null
  /** When it expires; it is not sent after that. */
  expiresAt: Date | null
  /** The reason of the last failure. Contains no address, code or link. */
  lastError: string | null
  /** The carrier's id of it, if it returned one. */
  carrierMessageId: string | null
}

/** @internal The published types reference this, and would otherwise include the ORM's. */
export const toRecord = (row: OutboxRow): OutboxRecord => ({
  id: row.id,
  channel: row.channel,
  kind: row.kind,
  recipient: row.recipient,
  status: row.status,
  attempts: row.attempts,
  createdAt: new Date(row.created_at),
  nextAttemptAt: toDate(row.next_attempt_at),
  settledAt: toDate(row.settled_at),
  expiresAt: toDate(row.expires_at),
  lastError: row.last_error,
  carrierMessageId: row.carrier_message_id,
})

const toDate = (text: string | null): Date | null => (text === null ? null : new Date(text))
