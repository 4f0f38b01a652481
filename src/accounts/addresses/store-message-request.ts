import { returnable } from '../../limits/return-limits.sql.ts'
import { type SendLimits, unlimited } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { performAct } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import { settleSending } from './send-limits-of.ts'
import { type SentStamps, storeRequest } from './store-request.sql.ts'
import { rowsOfMessages, type TokenMessage } from './token-message.ts'

/** A message for the user that was found, or the data that replaces it without a user. */
export interface MessageRequest {
  /** Null without a user: the message is not stored. */
  userId: string | null
  /**
   * The version of the user: after a concurrent change the message is not valid. See
   * `RequestForMessage`.
   */
  version?: number | null
  stamps?: SentStamps
  message: TokenMessage | null
  audit: AuditEvent
  /** The limits to spend now, where no look-up has spent them. */
  limits?: { spend: SendLimits; kind: 'email' | 'sms' }
  /**
   * The limits that the look-up has spent. If no message is sent, the budget of messages is
   * returned.
   */
  counted?: SendLimits
  /**
   * The limits of the address that receives the message. Where they are spent, no message is
   * stored, and the response does not show it.
   */
  targetLimits?: SendLimits
}

/**
 * Stores token, message and audit entry, and wakes delivery. For an address without a user the same
 * statement runs, with the audit entry only.
 *
 * @returns whether the limits allowed it.
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429) where there are
 *   limits to spend.
 */
export async function storeMessageRequest(
  ctx: AuthContext,
  { userId, version = null, stamps = {}, message, audit, ...limited }: MessageRequest,
): Promise<boolean> {
  const { limits, counted = unlimited, targetLimits = unlimited } = limited
  const spend = limits?.spend ?? targetLimits
  const { tokenRows, messages } = rowsOfMessages(...(message ? [message] : []))
  const spending = spendLimits(ctx, spend)
  const spent = await performAct(
    ctx,
    { audit, messages, isConcealed: true },
    async (rows) => {
      const result = await storeRequest(ctx.sql, spending, {
        userId,
        version,
        stamps,
        request: message?.request ?? null,
        replacesUnknown:
          message?.request.by === 'resend' &&
          message.tokens.some(({ requested_from }) => requested_from === null),
        tokenRows,
        ...rows,
        ...returnable(counted),
      })
      if (limits) settleSending(ctx, result, spend, limits.kind)
      return result
    },
    ({ allowed, has_message }) => allowed && { areMessagesStored: has_message },
  )
  return spent.allowed
}
