import type { AuthContext } from '../../accounts/auth-context.ts'
import {
  type Caller,
  needsFactorProof,
  requireCaller,
} from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentSignInIfOnlyProof } from '../../accounts/callers/recent-sign-in.ts'
import { eraseAccount } from '../../accounts/lifecycle/erase-account.ts'
import type { DeletionProof } from '../../accounts/lifecycle/erase-rows.sql.ts'
import { stepUpNeededToDelete } from '../../accounts/sessions/session-errors.ts'
import type { User } from '../../accounts/users/user.ts'
import { addressTooNew, changedMeanwhile } from '../../accounts/users/user-errors.ts'
import { hashingPriority } from '../../credentials/passwords/gate.ts'
import {
  invalidCredentials,
  reauthenticationNeeded,
} from '../../credentials/passwords/password-errors.ts'
import { requireAttempt, takeOwnPasswordAttempt } from '../../limits/count-password-attempt.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { findDeletionProofs } from './deletion-proofs.ts'
import { requireNonce } from './require-nonce.ts'
import type { DeleteOwnUserInput } from './user.endpoint.ts'

/**
 * Erases the signed-in user after reauthentication by password or nonce. A user without password
 * and confirmed address needs a recent sign-in. An anonymous user without an identity needs the
 * session only.
 *
 * No message is sent, because that would store the address.
 *
 * @throws AuthError `insufficient_aal` (403) where the user has a second factor and has not proved
 *   it, `reauthentication_needed` (400; 403 with `details.stepUp` where only a recent sign-in
 *   proves the user), `invalid_credentials` (400), `reauthentication_not_valid` (422),
 *   `address_too_new` (422) where no proof can be submitted until the address is established,
 *   `over_request_rate_limit` (429), `session_not_found`, `user_banned` (403), `conflict` (409).
 */
export async function deleteOwnUser(
  ctx: AuthContext,
  caller: Caller,
  submitted: Unvalidated<DeleteOwnUserInput>,
): Promise<void> {
  // The factors are deleted, too. A stolen password alone must not remove them.
  if (needsFactorProof(caller)) throw stepUpNeededToDelete()
  const { user, session } = caller
  const callerTerms = { sessionId: session?.id ?? null, now: ctx.clock.now() }
  const erases = async () => {
    const fresh = await requireFreshProof(ctx, caller, submitted)
    return eraseAccount(ctx, user.id, { caller: callerTerms, proof: fresh })
  }
  if (await erases()) return
  // The session ended, the user was banned or deleted, the password was changed, or the nonce was
  // consumed.
  await requireCaller(ctx, caller.claims)
  // Without either, any change of the account prevented it, such as one of metadata.
  if (!submitted.password && !submitted.nonce && (await erases())) return
  throw changedMeanwhile()
}

/** Returns the proof, which must still hold at the deletion. */
async function requireFreshProof(
  ctx: AuthContext,
  caller: Caller,
  { password, nonce }: Unvalidated<DeleteOwnUserInput>,
): Promise<DeletionProof> {
  const { user, session } = caller
  if (nonce) return { nonceTokenId: await requireNonce(ctx, user, nonce) }
  if (password) return { passwordHash: await requirePassword(ctx, user, password) }
  const actor = { userId: user.id, sessionId: session?.id ?? null }
  const { stored, proofs } = await findDeletionProofs(ctx, actor)
  if (proofs.password || proofs.nonce)
    throw reauthenticationNeeded('Deletion requires reauthentication')
  // Not by a recent sign-in: a thief who replaced the address can sign in with it.
  if (proofs.addressTooNew) throw addressTooNew()
  const current = { ...caller, user: stored.user }
  if (needsFactorProof(current)) throw stepUpNeededToDelete()
  requireRecentSignInIfOnlyProof(ctx, current)
  return { version: stored.version }
}

/** Counts with the passwords of sign-ins: a session permits no additional guesses. */
async function requirePassword(ctx: AuthContext, user: User, password: string): Promise<string> {
  const { found } = requireAttempt(ctx, await takeOwnPasswordAttempt(ctx, user))
  const passwordHash = found?.user.id === user.id ? found.passwordHash : null
  const isRight = await ctx.passwords.verify(
    passwordHash,
    password,
    hashingPriority(ctx, user.id, 'known'),
  )
  if (passwordHash === null || !isRight) throw invalidCredentials()
  return passwordHash
}
