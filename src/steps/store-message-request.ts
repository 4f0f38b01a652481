import { auditNote } from '../audit/audit-note.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import { presentPeople } from '../audit/present-people.ts'
import type { AuthContext } from '../deps.ts'
import { type SendLimits, unlimited } from '../limits/send-limits.ts'
import { spendLimits } from '../limits/spend-send-limits.sql.ts'
import {
  type RequestExpressions,
  type SentStamps,
  storeRequest,
} from '../one-time-tokens/store-request.sql.ts'
import { type AddressRequest, registrationAfterExpression } from '../users/registration.ts'
import { requesterOf } from './requester-of.ts'
import { settleSending } from './settle-sending.ts'
import { rowsOfMessages, type TokenMessage } from './token-message.ts'

/** A message for a user who was found, or what takes its place where nobody was. */
export interface MessageRequest {
  /** Null where nobody was found: the message is not stored. */
  userId: string | null
  /** For what a change of the user meanwhile makes wrong: see `RequestForMessage`. */
  version?: number | null
  stamps?: SentStamps
  /** What it is for an address that nobody has proved; left out where that cannot be. */
  asks?: Exclude<AddressRequest['by'], 'signup'>
  message: TokenMessage | null
  audit: AuditEvent
  /** What is still to be spent, where no look-up has spent it. */
  limits?: { spend: SendLimits; kind: 'email' | 'sms' }
  /** What the address has left that it goes to. Where that is nothing, nothing is stored, and nobody is told. */
  targetLimits?: SendLimits
}

const expressions: RequestExpressions = {
  registrationAfter: registrationAfterExpression,
  presentPeople,
}

/**
 * Stores token, message and audit entry, and has the message sent soon. For an address that nobody has
 * the same statement runs, with the audit entry alone.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429) where there are
 *   limits to spend.
 */
export async function storeMessageRequest(
  ctx: AuthContext,
  { userId, version = null, stamps = {}, asks, message, audit, ...counted }: MessageRequest,
): Promise<void> {
  const { limits, targetLimits = unlimited } = counted
  const spend = limits?.spend ?? targetLimits
  const note = auditNote(ctx, audit)
  const from = requesterOf(ctx)
  const spending = spendLimits(spend, ctx.clock.now())
  const spent = await storeRequest(ctx.sql, spending, expressions, {
    userId,
    version,
    stamps,
    asks: asks ? { by: asks, from } : null,
    replacesUnknown: asks === 'resend' && from === null,
    ...rowsOfMessages(...(message ? [message] : [])),
    auditRows: note.rows,
  })
  if (limits) settleSending(ctx, spent, spend, limits.kind)
  if (spent.allowed) note.log()
  ctx.outbox.wake({ isConcealed: true })
}
