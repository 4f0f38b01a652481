import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { requireReachable } from '../../accounts/addresses/require-reachable.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import { mailToken, textToken } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { nonceRecipient } from '../../accounts/callers/nonce-recipient.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import type { User } from '../../accounts/users/user.ts'
import { addressNotConfirmed, addressTooNew } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { implement } from '../http/implement.ts'
import { reauthenticateEndpoint } from './reauthenticate.endpoint.ts'

export const reauthenticateRoutes = [
  implement(reauthenticateEndpoint, {
    run: async ({ ctx, caller }) => ({ messageId: await reauthenticate(ctx, caller) }),
    present: ({ messageId }) => ({ message_id: messageId }),
  }),
] as const

/**
 * Sends the signed-in user a nonce for a change of password: by mail, or by SMS to a user without
 * an email.
 *
 * @returns the id of the message in the outbox.
 * @throws AuthError `validation_failed` (400) without any address, `address_too_new`,
 *   `email_not_confirmed`, `phone_not_confirmed`, `sms_send_failed` (422),
 *   `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429).
 */
async function reauthenticate(ctx: AuthContext, { user }: Caller): Promise<string> {
  const to = provedAddress(ctx, user)
  requireReachable(ctx, to)
  const token = {
    user,
    to: requestAddress(ctx, to, 'reauthenticate'),
    purpose: 'reauthentication',
    requestedBy: 'reauthenticate',
    requestedFrom: 'session',
  } as const
  const message =
    to.kind === 'email'
      ? mailToken(ctx, 'reauthentication', token)
      : textToken(ctx, 'reauthentication', token)
  await storeMessageRequest(ctx, {
    userId: user.id,
    stamps: { reauthentication_sent_at: ctx.clock.now().toISOString() },
    message,
    audit: { action: 'user_reauthenticate_requested', actorId: user.id },
    limits: {
      spend: sendLimitsOf(ctx, 'reauthentication', to, user.id),
      kind: to.kind === 'email' ? 'email' : 'sms',
    },
  })
  return message.messageId
}

function provedAddress(ctx: Pick<AuthContext, 'clock' | 'config'>, user: User): Address {
  const recipient = nonceRecipient(ctx, user)
  if (recipient === 'too_new') throw addressTooNew()
  if (recipient !== null) return recipient
  const kind = (['email', 'phone'] as const).find((one) => user[one] !== null)
  if (kind) throw addressNotConfirmed(kind)
  throw validationFailed('Reauthentication requires the user to have an email or a phone number')
}
