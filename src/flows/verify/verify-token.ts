import type { AuthContext } from '../../deps.ts'
import { jsonRows } from '../../kit/queryable.ts'
import { otpExpired } from '../../one-time-tokens/one-time-token-errors.ts'
import type { IssuedSession } from '../../sessions/session.ts'
import { newSession, newSessionRow } from '../../sessions/session.ts'
import { issueSession } from '../../steps/issue-session.ts'
import type { Account } from '../../users/account.ts'
import { findProof, type Proof } from './find-proof.ts'
import type { ProofType } from './proof-type.ts'
import { readVerification, type VerificationInput } from './read-verification.ts'
import { type SpentProof, spendProof } from './spend-proof.ts'

export interface VerificationResult {
  type: ProofType
  account: Account
  /** Null while the other of two addresses has yet to confirm a change of email. */
  session: IssuedSession | null
}

/**
 * Proves control of an address by the link or code that was sent there, and signs in.
 *
 * A proof is good once. It makes all other links and codes of the user worthless. To prove an address
 * that was unproved, by anything but the confirmation of the sign-up itself, removes what strangers
 * may have set up before: see `steps/prove-address.ts`.
 *
 * @throws AuthError `otp_expired`, `user_banned` (403), `validation_failed` (400; 422 for a malformed
 *   email), `weak_password` (422).
 */
export async function verifyToken(
  ctx: AuthContext,
  input: VerificationInput,
): Promise<VerificationResult> {
  const { type, evidence, password } = readVerification(ctx, input)
  const proof = await findProof(ctx, type, evidence)
  const passwordHash = await hashFirstPassword(ctx, proof, password)
  const session = newSession(ctx.random.uuid(), 'otp', ctx.clock.now())
  const reward = ({ id }: Account) => ({
    sessionRows: jsonRows(newSessionRow(session, id, ctx.request)),
  })
  const spent = await spendOnce(ctx, proof, passwordHash, reward)
  const { account, isComplete } = spent
  if (!isComplete) return { type: proof.type, account, session: null }
  const signedIn = await issueSession(ctx, account, session, 0)
  return { type: proof.type, ...signedIn }
}

/** Null for a user who has a password: this is no way to change it. */
const hashFirstPassword = async (
  ctx: AuthContext,
  { stored }: Proof,
  password: string | null,
): Promise<string | null> =>
  password !== null && stored.passwordHash === null ? ctx.passwords.hash(password) : null

async function spendOnce(...args: Parameters<typeof spendProof>): Promise<SpentProof> {
  const spent = await spendProof(...args)
  if (!spent) throw otpExpired()
  return spent
}
