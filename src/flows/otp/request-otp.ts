import type { AuthContext } from '../../deps.ts'
import type { Unread } from '../../http/endpoint.ts'
import { createByAddress, expectNewcomer } from '../../steps/create-by-address.ts'
import { findHolder, isRecipient } from '../../steps/find-recipient.ts'
import { storeMessageRequest } from '../../steps/store-message-request.ts'
import { mailToken, noMessageId, textToken } from '../../steps/token-message.ts'
import { findByAddress } from '../../users/find-user.sql.ts'
import type { User } from '../../users/user.ts'
import { otpDisabled, signUpDisabled } from '../../users/user-errors.ts'
import type { SignInWithOtpInput } from './otp.endpoint.ts'
import { type OtpRequest, readOtpRequest } from './read-otp-request.ts'

/**
 * Sends a code or a link that signs in: to a known address, and to an unknown one that wants an
 * account.
 *
 * @returns the id of the message in the outbox.
 * @throws AuthError `otp_disabled` (422) for an unknown address that shall not be signed up,
 *   `signup_disabled` (422), `email_provider_disabled` (422), `phone_provider_disabled` (400),
 *   `validation_failed` (400), and what `findHolder` throws.
 */
export async function requestOtp(
  ctx: AuthContext,
  input: Unread<SignInWithOtpInput>,
): Promise<string> {
  const request = readOtpRequest(ctx, input)
  const { address } = request
  const isOpen = request.createUser && !ctx.config.signUp.disabled
  const newcomer = isOpen ? await expectNewcomer(ctx, request) : null
  const holder = await findHolder(ctx, 'sign-in', address)
  if (holder && isRecipient(ctx, holder, address)) return sendToUser(ctx, request, holder.user)
  if (!request.createUser) throw otpDisabled()
  if (!newcomer) throw signUpDisabled()
  const sent = await createByAddress(ctx, request, newcomer)
  // Where somebody has the address whom it does not let in, nothing is sent, and the answer does not tell.
  return sent ?? (holder ? noMessageId(ctx) : sendToOther(ctx, request))
}

/** Sends to the user whom another request made for the address at the same moment. */
async function sendToOther(ctx: AuthContext, request: OtpRequest): Promise<string> {
  const other = await findByAddress(ctx.sql, request.address, null)
  return other && isRecipient(ctx, other, request.address)
    ? sendToUser(ctx, request, other.user)
    : noMessageId(ctx)
}

async function sendToUser(ctx: AuthContext, request: OtpRequest, user: User): Promise<string> {
  const sentAt = ctx.clock.now().toISOString()
  const isConfirming = request.address.kind === 'phone' || user.emailConfirmedAt === null
  const message = isConfirming ? confirming(ctx, request, user) : magicLink(ctx, request, user)
  await storeMessageRequest(ctx, {
    userId: user.id,
    asks: 'otp',
    stamps: isConfirming ? { confirmation_sent_at: sentAt } : { recovery_sent_at: sentAt },
    message,
    audit: { action: 'user_recovery_requested', actorId: user.id, ...traitsOf(request) },
  })
  return message?.messageId ?? noMessageId(ctx)
}

const traitsOf = ({ address, channel }: OtpRequest) =>
  address.kind === 'phone' ? { traits: { channel } } : {}

const magicLink = (ctx: AuthContext, request: OtpRequest, user: User) =>
  mailToken(
    ctx,
    'magicLink',
    {
      user,
      to: request.address,
      purpose: 'recovery',
      requestedBy: 'otp',
      codeChallenge: request.codeChallenge,
    },
    request.redirectTo,
  )

/** To an address that was never proved, the message says so; to a phone every code is alike. */
function confirming(ctx: AuthContext, request: OtpRequest, user: User) {
  const { address, codeChallenge, channel, redirectTo } = request
  const order = { user, to: address, codeChallenge }
  const token = { ...order, purpose: 'confirmation', requestedBy: 'otp' } as const
  return address.kind === 'email'
    ? mailToken(ctx, 'confirmation', token, redirectTo)
    : textToken(ctx, 'confirmation', token, channel)
}
