import type { AuthContext } from '../../accounts/auth-context.ts'
import { linkExpired, otpExpired } from '../../accounts/one-time-tokens/one-time-token-errors.ts'
import type { SessionTokens } from '../../accounts/sessions/session-info.ts'
import { prepareSession } from '../../accounts/sign-in/complete-sign-in.ts'
import type { User } from '../../accounts/users/user.ts'
import { hashingPriority } from '../../credentials/passwords/gate.ts'
import { consumeMatchedToken } from './consume-matched-token.ts'
import { findMatchedToken } from './find-matched-token.ts'
import { provedAtOf, recipientOf } from './matched-token.ts'
import { readVerification, type VerificationInput } from './read-verification.ts'
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
 *   malformed email), `weak_password`, `email_exists`, `phone_exists` (422).
 */
export async function verifyToken(
  ctx: AuthContext,
  input: VerificationInput,
): Promise<VerificationResult> {
  const { type, evidence, password } = await readVerification(ctx, input)
  const proof = await findMatchedToken(ctx, type, evidence)
  const { id } = proof.stored.user
  const signIn = prepareSession(ctx, {
    userId: id,
    method: 'otp',
    sentTo: recipientOf(proof),
    provedAt: provedAtOf(proof),
  })
  const spent = await consumeMatchedToken(ctx, proof, signIn.rows, firstPassword(ctx, id, password))
  if (!spent) throw 'secret' in evidence ? linkExpired() : otpExpired()
  const { user, isComplete } = spent
  if (!isComplete) return { type: proof.type, user, session: null }
  return { type: proof.type, ...(await signIn.complete(user)) }
}

/** Hashes the password only if the user gets one, and once for all attempts. */
function firstPassword(
  ctx: AuthContext,
  userId: string,
  password: string | null,
): (() => Promise<string>) | null {
  if (password === null) return null
  let hashing: Promise<string> | null = null
  return () => (hashing ??= ctx.passwords.hash(password, hashingPriority(ctx, userId, true)))
}
