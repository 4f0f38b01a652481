import type { AuditNote } from '../../audit/audit-note.ts'
import type { AuditEvent } from '../../audit/audit-row.ts'
import type { AuthContext } from '../../deps.ts'
import { giveBackLimits } from '../../limits/give-back-limits.sql.ts'
import type { Turn } from '../../passwords/gate.ts'
import type { SessionTokens } from '../../sessions/session-tokens.ts'
import { hashingTurn } from '../../steps/hashing-turn.ts'
import type { NewcomerInput } from '../../steps/newcomer.ts'
import { sendLimitsOf } from '../../steps/send-limits-of.ts'
import { mailToken, type TokenMessage, textToken } from '../../steps/token-message.ts'
import type { User } from '../../users/user.ts'
import type { SignUp } from './read-sign-up.ts'

export interface SignUpResult {
  user: User
  /** Null until the address is confirmed. */
  session: SessionTokens | null
}

/** A sign-up with all that is known before the database is asked. */
export interface Attempt extends SignUp, NewcomerInput {
  requestedFrom: string | null
  /** Who would be made of it. The application has approved of them. */
  newcomer: User
  /** What was hashed so far: who loses a race has paid for it already. */
  paid: { hash: Promise<string> | null; isAny: boolean }
}

/** What came of an attempt, and what the log has yet to be told once it is stored for good. */
export interface Outcome {
  result: SignUpResult
  note?: AuditNote
}

/** The hash of the password, made once however often it is tried. */
export const hashOnce = (ctx: AuthContext, attempt: Attempt): Promise<string> =>
  (attempt.paid.hash ??= inTurn(ctx, attempt, (turn) => ctx.passwords.hash(attempt.password, turn)))

/** Where too many passwords are hashed, nothing is sent; so the next attempt need not wait for its interval. */
export async function inTurn<T>(
  ctx: AuthContext,
  { address, confirmed, paid }: Attempt,
  work: (turn: Turn) => Promise<T>,
): Promise<T> {
  paid.isAny = true
  try {
    return await work(hashingTurn(ctx, address.value, false))
  } catch (error) {
    if (!confirmed) await giveBackLimits(ctx.sql, sendLimitsOf(ctx, 'sign-up', address))
    throw error
  }
}

/** The link and code that confirm the address of a sign-up. */
export function confirmation(ctx: AuthContext, attempt: Attempt, user: User): TokenMessage {
  const { address, codeChallenge, channel, redirectTo } = attempt
  const order = { user, to: address, codeChallenge } as const
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
