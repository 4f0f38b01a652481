import { requestAddress } from '../../accounts/addresses/request-address.ts'
import {
  mailToken,
  rowsOfMessages,
  type TokenMessage,
  textToken,
} from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import { approveNewUser, createUser } from '../../accounts/lifecycle/create-user.ts'
import {
  newUserWithAddress,
  submittedMetadataKeys,
} from '../../accounts/lifecycle/new-user-with-address.ts'
import type { CodeChallenge } from '../../accounts/one-time-tokens/code-challenge.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import type { Approval } from '../../accounts/users/new-user.ts'
import type { User } from '../../accounts/users/user.ts'
import type { SmsChannel } from '../../delivery/sms/sms.ts'
import { requesterOf } from '../../limits/requester-of.ts'

/** A request for a code with an unknown address. */
export interface NewUserRequest {
  address: Address
  data: Record<string, unknown>
  channel: SmsChannel
  redirectTo: string
  codeChallenge: CodeChallenge | null
}

/**
 * The user that a sign-up with the address would create, and the application's decision about it.
 */
export interface ExpectedUser {
  user: User
  approval: Promise<Approval>
}

/**
 * Requests the application's decision about a new user before the address is looked up, so that the
 * response time does not reveal whether it exists. The decision applies only to new users.
 */
export async function expectNewUser(
  ctx: AuthContext,
  { address, data }: Pick<NewUserRequest, 'address' | 'data'>,
): Promise<ExpectedUser> {
  const confirmed = confirmsItself(ctx, address)
  const user = newUserWithAddress(ctx, { address, data, confirmed, now: ctx.clock.now() })
  const approval = approveNewUser(ctx, user)
  await Promise.allSettled([approval])
  return { user, approval }
}

const confirmsItself = ({ config }: AuthContext, { kind }: Address): boolean =>
  config[kind === 'email' ? 'email' : 'sms'].autoconfirm

/**
 * Creates an account without a password for an address that requests a code or link, and sends it.
 *
 * @returns the id of the message; null when a concurrent request created an account for the
 *   address.
 * @throws AuthError the application's rejection.
 */
export async function createByAddress(
  ctx: AuthContext,
  request: NewUserRequest,
  { user, approval }: ExpectedUser,
): Promise<string | null> {
  const { address } = request
  const now = ctx.clock.now()
  const confirmed = confirmsItself(ctx, address)
  const message = firstMessage(ctx, request, user, confirmed)
  const isCreated = await createUser(ctx, {
    user: { ...user, [stampOf(address, confirmed)]: now },
    approval,
    passwordHash: null,
    signUpOrigin: confirmed
      ? null
      : { by: 'otp', from: requesterOf(ctx), keys: submittedMetadataKeys(request) },
    audit: {
      action: confirmed ? 'user_signedup' : 'user_confirmation_requested',
      actorId: user.id,
      traits: { provider: address.kind },
    },
    isConcealed: true,
    ...rowsOfMessages(message),
  })
  return isCreated ? message.messageId : null
}

const stampOf = ({ kind }: Address, confirmed: boolean): keyof User =>
  kind === 'email' && confirmed ? 'recoverySentAt' : 'confirmationSentAt'

function firstMessage(
  ctx: AuthContext,
  { address, channel, redirectTo, codeChallenge }: NewUserRequest,
  user: User,
  confirmed: boolean,
): TokenMessage {
  const to = requestAddress(ctx, address, 'otp')
  const token = { user, to, requestedBy: 'otp', codeChallenge } as const
  if (address.kind === 'phone') {
    return textToken(ctx, 'confirmation', { ...token, purpose: 'confirmation' }, channel)
  }
  return confirmed
    ? mailToken(ctx, 'magicLink', { ...token, purpose: 'recovery' }, redirectTo)
    : mailToken(ctx, 'confirmation', { ...token, purpose: 'confirmation' }, redirectTo)
}
