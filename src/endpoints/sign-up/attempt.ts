import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { sendLimitsOf } from '../../accounts/addresses/send-limits-of.ts'
import { mailToken, type TokenMessage, textToken } from '../../accounts/addresses/token-message.ts'
import type { AuditEvent } from '../../accounts/audit/audit-row.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { NewUserInput } from '../../accounts/lifecycle/new-user-with-address.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import type { Approval } from '../../accounts/users/new-user.ts'
import type { User } from '../../accounts/users/user.ts'
import { type HashingPriority, hashingPriority } from '../../credentials/passwords/gate.ts'
import { returnLimits } from '../../limits/return-limits.sql.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { SignUp } from './read-sign-up.ts'

export interface SignUpResponse {
  user: User
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

/** A sign-up with all values known before the first statement. */
export interface Attempt extends SignUp, NewUserInput {
  requestedFrom: string | null
  /** The user that the attempt creates where the address is free. */
  newUser: User
  /** The application's approval of the new user. */
  approval: Approval
  /** The computed hashes. An attempt that loses a race does not hash again. */
  paid: { hash: Promise<string> | null; isAny: boolean }
}

/** Returns the hash of the password, computed once for all attempts. */
export const hashOnce = (ctx: AuthContext, attempt: Attempt): Promise<string> =>
  (attempt.paid.hash ??= inTurn(ctx, attempt, (priority) =>
    ctx.passwords.hash(attempt.password, priority),
  ))

/**
 * Runs a hash computation through the gate. If it is rejected, nothing is sent: the send interval
 * of the address is released.
 */
export async function inTurn<T>(
  ctx: AuthContext,
  { address, confirmed, paid }: Attempt,
  work: (priority: HashingPriority) => Promise<T>,
): Promise<T> {
  paid.isAny = true
  try {
    return await work(hashingPriority(ctx, address.value, 'unknown'))
  } catch (error) {
    if (!confirmed) await releaseInterval(ctx, address)
    throw error
  }
}

/** A failure is logged only: the client receives the error that caused the release. */
async function releaseInterval(ctx: AuthContext, address: Attempt['address']): Promise<void> {
  try {
    await returnLimits(ctx.sql, sendLimitsOf(ctx, 'sign-up', address))
  } catch (error) {
    ctx.logger.warn({ fault: describeFault(error) }, 'send interval not released')
  }
}

/** The link and code that confirm the address of a sign-up. */
export function confirmation(ctx: AuthContext, attempt: Attempt, user: User): TokenMessage {
  const { address, codeChallenge, channel, redirectTo } = attempt
  const to = requestAddress(ctx, address, 'signup')
  const order = { user, to, codeChallenge } as const
  const token = { ...order, purpose: 'confirmation', requestedBy: 'signup' } as const
  return address.kind === 'email'
    ? mailToken(ctx, 'confirmation', token, redirectTo)
    : textToken(ctx, 'confirmation', token, channel)
}

export const confirmationRequested = ({ address }: Attempt, userId: string): AuditEvent => ({
  action: 'user_confirmation_requested',
  actorId: userId,
  traits: { provider: address.kind },
})
