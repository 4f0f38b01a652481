import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { seal, unseal } from '../../platform/kit/sealed-box.ts'
import { timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { Message } from './message.ts'
import type { OutboxMessage as OutboxMessageEntity } from './outbox-message.entity.ts'

/** A message to be stored with what causes it. */
export interface MessageOrder {
  message: Message
  /** What it is about, such as `recovery`. */
  kind: string
  recipient: string
  userId: string | null
  /** After this it is no use to anybody, and not sent. */
  expiresAt: Date | null
}

/** A row of the outbox as PostgreSQL writes it in JSON. */
export type OutboxRow = RowOf<OutboxMessageEntity>

/**
 * The row of a message that is to leave as soon as it is stored.
 *
 * @internal The published types lead here, and would lead on to Node's.
 */
export function newOutboxRow(
  { roots }: { roots: RootKeys },
  { message, kind, recipient, userId, expiresAt }: MessageOrder,
  now: Date,
  id = timeOrderedUuid(now),
): OutboxRow {
  return {
    id,
    kind,
    recipient,
    user_id: userId,
    channel: message.channel,
    body: seal(roots, outboxBox(id), JSON.stringify(message.content)),
    status: 'waiting',
    attempts: 0,
    next_attempt_at: now.toISOString(),
    expires_at: expiresAt?.toISOString() ?? null,
    carrier_message_id: null,
    last_error: null,
    settled_at: null,
    created_at: now.toISOString(),
  }
}

/**
 * Opens the body of a row. Throws when it was forgotten, or no root key of ours sealed it.
 *
 * @internal As above.
 */
export function openBody(roots: RootKeys, { id, channel, body, recipient }: OutboxRow): Message {
  if (body === null) throw new Error('the message has no body')
  const content = JSON.parse(unseal(roots, outboxBox(id), body))
  // Whose event it is may be known to the statement alone that stores it, when the body is sealed already.
  const whose = channel === 'events' ? { user_id: recipient } : {}
  return { channel, content: { ...content, ...whose } } as Message
}

/**
 * The context of the box that holds the body of a row.
 *
 * @internal As above.
 */
export const outboxBox = (id: string): string => `outbox:${id}`
