import { emailChangeMessage } from '../../accounts/addresses/email-change-message.ts'
import { findRecipient } from '../../accounts/addresses/find-recipient.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import {
  requestLimitsOf,
  sendLimitsOf,
  targetLimitsOf,
} from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import type { SentStamps } from '../../accounts/addresses/store-request.sql.ts'
import {
  mailToken,
  noMessageId,
  type TokenMessage,
  textToken,
} from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { decoyUser } from '../../accounts/lifecycle/new-user-with-address.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { noTarget, type SendSlot } from '../../limits/send-limits.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { type Resend, readResend } from './read-resend.ts'
import type { ResendInput, ResendType } from './resend.endpoint.ts'

/**
 * Resends the message of a sign-up or a change of address, and revokes the message that the same
 * client requested before. A change was requested in a session, and this request has none: the
 * messages of the change stay valid. Does nothing when no confirmation is pending, with the same
 * response.
 *
 * @returns the id of the message in the outbox, or a random id.
 * @throws AuthError `validation_failed`, `email_provider_disabled`, `phone_provider_disabled`
 *   (400), and the errors of `findRecipient`.
 */
export const resendMessage = (ctx: AuthContext, input: Unvalidated<ResendInput>): Promise<string> =>
  ctx.responseTimes.conceal('resend', (noteUser) => resend(ctx, input, noteUser))

async function resend(
  ctx: AuthContext,
  input: Unvalidated<ResendInput>,
  noteUser: (hasUser: boolean) => void,
): Promise<string> {
  const request = readResend(ctx, input)
  const { type, address } = request
  const { slot, carriedBy } = ways[type]
  const isChange = type.endsWith('change')
  // The message of a change is sent to the new number, also where the present one is a test number.
  const limitsOf = isChange ? requestLimitsOf : sendLimitsOf
  const limits = limitsOf(ctx, slot, { ...address, kind: carriedBy })
  const found = await findRecipient(ctx, { address, by: 'resend', slot, carriedBy, limits })
  const due = found && messageFor(ctx, request, found.user)
  noteUser(due !== null)
  // Where nothing is pending, a message is built but not stored, so that the response takes as
  // long.
  const message = due ?? messageFor(ctx, request, decoyUser(ctx, address))
  await storeMessageRequest(ctx, {
    userId: (due && found?.user.id) ?? null,
    // A concurrent request may have replaced the change.
    version: isChange ? (found?.version ?? null) : null,
    stamps: stampsOf(type, ctx.clock.now().toISOString()),
    message,
    counted: limits,
    ...(isChange && { targetLimits: limitsOfTarget(ctx, request, due && found) }),
    audit: {
      action: 'user_confirmation_requested',
      ...(found ? { actorId: found.user.id } : { unknownAddress: address.value }),
    },
  })
  return message?.messageId ?? noMessageId(ctx)
}

/**
 * Returns the limits of the new address: a change is requested with the present address, and its
 * message is sent to the new one, whose owner may be another user.
 */
function limitsOfTarget(ctx: AuthContext, { type, address }: Resend, recipient: StoredUser | null) {
  const { slot, carriedBy: kind } = ways[type]
  const { newEmail, newPhone } = recipient?.user ?? {}
  const value = (kind === 'email' ? newEmail : newPhone) ?? noTarget(address.value)
  return targetLimitsOf(ctx, slot, { kind, value })
}

/**
 * The limit and the channel of each message, which may differ from the submitted address.
 */
const ways: Record<ResendType, { slot: SendSlot; carriedBy: Address['kind'] }> = {
  signup: { slot: 'sign-up', carriedBy: 'email' },
  email_change: { slot: 'email-change', carriedBy: 'email' },
  sms: { slot: 'sms', carriedBy: 'phone' },
  phone_change: { slot: 'sms', carriedBy: 'phone' },
}

/**
 * Returns the pending message of the user, or null. A new password revokes a pending change of
 * address: the requested address stays stored, but has no valid message.
 */
function messageFor(ctx: AuthContext, request: Resend, user: User): TokenMessage | null {
  const { type, codeChallenge, redirectTo } = request
  const { email, phone } = user
  if (type === 'email_change') {
    const newEmail = user.emailChangeSentAt && user.newEmail
    return newEmail
      ? emailChangeMessage(ctx, user, newEmail, {
          by: 'resend',
          requestedFrom: 'resender',
          codeChallenge,
          redirectTo,
        })
      : null
  }
  if (type === 'phone_change') {
    const newPhone = user.phoneChangeSentAt && user.newPhone
    return newPhone ? phoneChange(ctx, user, newPhone) : null
  }
  const token = { user, purpose: 'confirmation', requestedBy: 'signup', codeChallenge } as const
  if (type === 'signup' && email && !user.emailConfirmedAt) {
    return mailToken(
      ctx,
      'confirmation',
      { ...token, to: requestAddress(ctx, { kind: 'email', value: email }, 'resend') },
      redirectTo,
    )
  }
  if (type === 'sms' && phone && !user.phoneConfirmedAt) {
    return textToken(ctx, 'confirmation', {
      ...token,
      to: requestAddress(ctx, { kind: 'phone', value: phone }, 'resend'),
    })
  }
  return null
}

const phoneChange = (ctx: AuthContext, user: User, newPhone: string): TokenMessage =>
  textToken(ctx, 'phone_change', {
    user,
    to: requestAddress(ctx, { kind: 'phone', value: newPhone }, 'resend'),
    purpose: 'phone_change',
    requestedBy: 'change',
    requestedFrom: 'resender',
  })

const stampsOf = (type: ResendType, sentAt: string): SentStamps => {
  if (type === 'email_change') return { email_change_sent_at: sentAt }
  if (type === 'phone_change') return { phone_change_sent_at: sentAt }
  return { confirmation_sent_at: sentAt }
}
