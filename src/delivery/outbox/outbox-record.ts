import type { Channel, OutboxStatus } from './message.ts'
import type { OutboxRow } from './outbox-row.ts'

/** A message of the outbox, without what it says. */
export interface OutboxRecord {
  id: string
  /** The way it takes: `email_hook` and `sms_hook` are the application's own senders, `user_hook` hears of new users, `events` of what happens. */
  channel: Channel
  /** What it is about, such as `recovery`. */
  kind: string
  /** Address or number; of an event, the id of the user. */
  recipient: string
  status: OutboxStatus
  /** Since it was stored, or since it was last to be retried. */
  attempts: number
  createdAt: Date
  /** While it waits: when it is tried again. While it is being sent: when its sender counts as gone. */
  nextAttemptAt: Date | null
  /** When it was sent or given up. */
  settledAt: Date | null
  /** When it ceases to be of use; it is not sent from then on. */
  expiresAt: Date | null
  /** Why it was not taken at the last attempt. Holds no address, code or link. */
  lastError: string | null
  /** The carrier's own name for it, where it gave one. */
  carrierMessageId: string | null
}

/** @internal The published types lead here, and would lead on to the ORM's. */
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
