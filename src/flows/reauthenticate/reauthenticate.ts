import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { requireReachable } from '../../steps/require-reachable.ts'
import { sendLimitsOf } from '../../steps/send-limits-of.ts'
import { storeMessageRequest } from '../../steps/store-message-request.ts'
import { mailToken, textToken } from '../../steps/token-message.ts'
import type { Account } from '../../users/account.ts'
import type { Address } from '../../users/addresses.ts'
import { addressNotConfirmed } from '../../users/user-errors.ts'

/**
 * Sends the signed-in user a nonce for a change of password: by mail, or by SMS to who has no email.
 *
 * @returns the id of the message in the outbox.
 * @throws AuthError `validation_failed` (400) without any address, `email_not_confirmed`,
 *   `phone_not_confirmed`, `sms_send_failed` (422), `over_email_send_rate_limit`,
 *   `over_sms_send_rate_limit` (429).
 */
export async function reauthenticate(ctx: AuthContext, { account }: Caller): Promise<string> {
  const to = provedAddress(account)
  requireReachable(ctx, to)
  const token = {
    account,
    to,
    purpose: 'reauthentication',
    requestedBy: 'reauthenticate',
    requestedFrom: 'session',
  } as const
  const message =
    to.kind === 'email'
      ? mailToken(ctx, 'reauthentication', token)
      : textToken(ctx, 'reauthentication', token)
  await storeMessageRequest(ctx, {
    userId: account.id,
    stamps: { reauthentication_sent_at: ctx.clock.now().toISOString() },
    message,
    audit: { action: 'user_reauthenticate_requested', actorId: account.id },
    limits: {
      spend: sendLimitsOf(ctx, 'reauthentication', to, account.id),
      kind: to.kind === 'email' ? 'email' : 'sms',
    },
  })
  return message.messageId
}

function provedAddress(account: Account): Address {
  const { email, phone } = account
  if (email) {
    if (!account.emailConfirmedAt) throw addressNotConfirmed('email')
    return { kind: 'email', value: email }
  }
  if (!phone) {
    throw validationFailed('Reauthentication requires the user to have an email or a phone number')
  }
  if (!account.phoneConfirmedAt) throw addressNotConfirmed('phone')
  return { kind: 'phone', value: phone }
}
