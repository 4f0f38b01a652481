import type { AuthContext } from '../../accounts/auth-context.ts'
import { linkExpired, otpExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { User } from '../../accounts/users/user.ts'
import { hashingPriority } from '../../credentials/passwords/gate.ts'
import { consumeMatchedToken } from './consume-matched-token.ts'
import { findMatchedToken } from './find-matched-token.ts'
import { provedAtOf } from './matched-token.ts'
import { readVerification, type VerificationRequest } from './read-verification.ts'
import type { ProofType } from './verify.endpoint.ts'

export interface VerificationResult {
  type: ProofType
  user: User
  /** Null while the other of two addresses must still confirm a change of email. */
  session: SessionTokens | null
}

/**
 * Proves control of an address by the link or code that was sent there, and signs in.
 *
 * A token is valid once, and its use revokes all other links and codes of the user. Proving an
 * unconfirmed address, by any token except the confirmation of the sign-up itself, removes
 * credentials that an attacker may have set up before: see `accounts/addresses/prove-address.ts`.
 *
 * @throws AuthError `otp_expired`, `user_banned` (403), `validation_failed` (400; 422 for a
 *   malformed email, and for a password that the user does not get: the token stays valid),
 *   `weak_password`, `email_exists`, `phone_exists` (422).
 */
export async function verifyToken(
  ctx: AuthContext,
  request: VerificationRequest,
): Promise<VerificationResult> {
  const verification = await readVerification(ctx, request)
  const { input, password } = verification
  const matched = await findMatchedToken(ctx, verification)
  const { id } = matched.stored.user
  const signIn = prepareSession(ctx, {
    userId: id,
    method: 'otp',
    sentTo: matched.sentTo.kind === 'phone' ? 'phone' : null,
    provedAt: provedAtOf(matched),
  })
  const hashPassword = firstPassword(ctx, id, password)
  const consumed = await consumeMatchedToken(ctx, matched, signIn.rows, hashPassword)
  if (!consumed) throw 'secret' in input ? linkExpired() : otpExpired()
  const { user, isComplete } = consumed
  if (!isComplete) return { type: matched.type, user, session: null }
  return { type: matched.type, ...(await signIn.complete(user)) }
}

/** Hashes the password only if the user gets one, and once for all attempts. */
function firstPassword(
  ctx: AuthContext,
  userId: string,
  password: string | null,
): (() => Promise<string>) | null {
  if (password === null) return null
  let hashing: Promise<string> | null = null
  return () => (hashing ??= ctx.passwords.hash(password, hashingPriority(ctx, userId, 'known')))
}
