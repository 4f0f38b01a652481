import type { Clock } from '../../platform/kit/clock.ts'
import type { RootKeys } from '../../platform/kit/derived-keys.ts'
import { seal, unsealBytes } from '../../platform/kit/sealed-box.ts'
import { timeOrderedUuid } from '../../platform/kit/uuid.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { compactBody, expandBody } from './compact-body.ts'
import type { Carriers, Message } from './message.ts'
import type { OutboxMessage as OutboxMessageEntity } from './outbox-message.entity.ts'

/** A message to store in the causing transaction. */
export interface MessageOrder {
  message: Message
  /** The kind, such as `recovery`. */
  kind: string
  recipient: string
  userId: string | null
  /** After this it is useless, and not sent. */
  expiresAt: Date | null
}

/** A row of the outbox as PostgreSQL writes it in JSON. */
export type OutboxRow = RowOf<OutboxMessageEntity>

/**
 * Returns the rows of messages to send. A service that confirms addresses automatically may have no
 * mail carrier: its mails get no rows, which would remain forever.
 *
 * @internal The published types reference this, and would otherwise include Node's.
 */
export const outboxRows = (
  needs: { carriers: Carriers; clock: Clock; roots: RootKeys },
  orders: readonly MessageOrder[],
): OutboxRow[] =>
  orders
    .filter(({ message }) => needs.carriers[message.channel] !== null)
    .map((order) => newOutboxRow(needs, order, needs.clock.now()))

/**
 * Returns the row of a message to send.
 *
 * @internal The published types reference this, and would otherwise include Node's.
 */
export function newOutboxRow(
  { roots }: { roots: RootKeys },
  { message, kind, recipient, userId, expiresAt }: MessageOrder,
  now: Date,
  id = timeOrderedUuid(now),
): OutboxRow {
  const rowText = rowTextOf({ channel: message.channel, user_id: userId, recipient })
  return {
    id,
    kind,
    recipient,
    user_id: userId,
    channel: message.channel,
    body: seal(roots, outboxBox(id), compactBody(JSON.stringify(message.content), rowText)),
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
 * Opens the body of a row.
 *
 * @throws Error if it was deleted, or no configured root key sealed it.
 * @internal The published types reference this, and would otherwise include Node's.
 */
export function openBody(roots: RootKeys, row: OutboxRow): Message {
  const { id, channel, body, recipient } = row
  if (body === null) throw new Error('the message has no body')
  // Statements that end sessions write the bodies of these messages, which contain ids only.
  const isPlain = channel === 'oauth_logout'
  const unsealed = () => expandBody(unsealBytes(roots, outboxBox(id), body), rowTextOf(row))
  const content = JSON.parse(isPlain ? body : unsealed())
  // The user of an event may be known only to the statement that stores it, after the body was
  // sealed.
  const whose = channel === 'events' ? { user_id: recipient } : {}
  return { channel, content: { ...content, ...whose } } as Message
}

/**
 * Returns the texts of a row that its body repeats. Some statements set the recipient of rows in
 * other channels after their bodies were sealed.
 */
const rowTextOf = ({
  channel,
  user_id,
  recipient,
}: Pick<OutboxRow, 'channel' | 'user_id' | 'recipient'>): string =>
  /^(email|sms)/.test(channel) ? `${user_id}${recipient}` : ''

/**
 * Returns the context of the box with a row's body.
 *
 * @internal The published types reference this, and would otherwise include Node's.
 */
export const outboxBox = (id: string): string => `outbox:${id}`
