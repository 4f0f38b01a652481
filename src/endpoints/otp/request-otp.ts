import { findAddressUser, isRecipient } from '../../accounts/addresses/find-recipient.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { returnBudget, sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { storeMessageRequest } from '../../accounts/addresses/store-message-request.ts'
import { mailToken, noMessageId, textToken } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { findByAddress } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { otpDisabled, signUpDisabled } from '../../accounts/users/user-errors.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { createByAddress, type ExpectedUser, expectNewUser } from './create-by-address.ts'
import type { SignInWithOtpInput } from './otp.endpoint.ts'
import { type OtpRequest, readOtpRequest } from './read-otp-request.ts'

/**
 * Sends a code or a link that signs in, to the address of a user. An unknown address gets an
 * account, unless the request excludes it.
 *
 * @returns the id of the message in the outbox.
 * @throws AuthError `otp_disabled` (422) for an unknown address that gets no account,
 *   `signup_disabled` (422), `email_provider_disabled` (422), `phone_provider_disabled` (400),
 *   `validation_failed` (400), the errors of `findAddressUser`.
 */
export const requestOtp = (
  ctx: AuthContext,
  input: Unvalidated<SignInWithOtpInput>,
): Promise<string> => ctx.responseTimes.conceal('otp', (noteUser) => sendOtp(ctx, input, noteUser))

async function sendOtp(
  ctx: AuthContext,
  input: Unvalidated<SignInWithOtpInput>,
  noteUser: (hasUser: boolean) => void,
): Promise<string> {
  const request = readOtpRequest(ctx, input)
  const { address } = request
  const isOpen = request.createUser && !ctx.config.signUp.disabled
  const newUserRequest = isOpen ? await expectNewUser(ctx, request) : null
  const holder = await findAddressUser(ctx, { address, by: 'otp', slot: 'sign-in' })
  const isKnown = holder !== null && isRecipient(ctx, holder, address)
  noteUser(isKnown)
  if (isKnown) return sendToUser(ctx, request, holder.user)
  const sent = await sendToNewUser(ctx, request, newUserRequest).catch(async (error: unknown) => {
    await returnBudget(ctx, sendLimitsOf(ctx, 'sign-in', address))
    throw error
  })
  if (sent !== null) return sent
  if (!holder) return sendToOther(ctx, request)
  // The user cannot sign in with the address. Nothing is sent, and the response does not reveal it.
  await returnBudget(ctx, sendLimitsOf(ctx, 'sign-in', address))
  return noMessageId(ctx)
}

/** Creates a user with the address; null where another user has it. */
async function sendToNewUser(
  ctx: AuthContext,
  request: OtpRequest,
  newUserRequest: ExpectedUser | null,
): Promise<string | null> {
  if (!request.createUser) throw otpDisabled()
  if (!newUserRequest) throw signUpDisabled()
  return createByAddress(ctx, request, newUserRequest)
}

/** Sends to the user that a concurrent request created with the address. */
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
    stamps: isConfirming ? { confirmation_sent_at: sentAt } : { recovery_sent_at: sentAt },
    message,
    counted: sendLimitsOf(ctx, 'sign-in', request.address),
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
      to: requestAddress(ctx, request.address, 'otp'),
      purpose: 'recovery',
      requestedBy: 'otp',
      codeChallenge: request.codeChallenge,
    },
    request.redirectTo,
  )

/** The message to an unconfirmed email confirms it. Text messages are all alike. */
function confirming(ctx: AuthContext, request: OtpRequest, user: User) {
  const { address, codeChallenge, channel, redirectTo } = request
  const order = { user, to: requestAddress(ctx, address, 'otp'), codeChallenge }
  const token = { ...order, purpose: 'confirmation', requestedBy: 'otp' } as const
  return address.kind === 'email'
    ? mailToken(ctx, 'confirmation', token, redirectTo)
    : textToken(ctx, 'confirmation', token, channel)
}
