import type { AuthContext } from '../auth-context.ts'
import { newerProofNeeded, newerSignInNeeded } from '../sessions/session-errors.ts'
import { hasUsableIdentity, hasVerifiedFactor, type User } from '../users/user.ts'
import type { ProvedCaller } from './authenticate-caller.ts'
import { nonceRecipient, restrictsNewPasswords } from './nonce-recipient.ts'
import { hasRecentProof, nextProof } from './recent-proof.ts'

type Needs = Pick<AuthContext, 'clock' | 'config'>

/**
 * Returns whether the account has a way to sign in. An anonymous user needs an identity for that.
 */
export const canSignInAgain = (user: User): boolean => !user.isAnonymous || hasUsableIdentity(user)

/**
 * Rejects a caller without a recent sign-in; of a user who has a second factor, without a recent
 * proof of it. Anonymous users who cannot sign in again are exempt.
 *
 * @throws AuthError `reauthentication_needed` (403) with `details.stepUp`.
 */
export function requireRecentSignIn(needs: Needs, caller: ProvedCaller): void {
  if (!canSignInAgain(caller.user) || hasRecentProof(needs, caller)) return
  throw hasVerifiedFactor(caller.user) ? newerProofNeeded(nextProof(caller)) : newerSignInNeeded()
}

/**
 * Rejects a caller without a recent sign-in where that is the only proof of the user: without a
 * confirmed address, to which nonces are sent. Otherwise a stolen session would become the owner of
 * the account: a new password signs in, and the first confirmed address suspends all that was added
 * before.
 *
 * @throws AuthError as {@link requireRecentSignIn}.
 */
export function requireRecentSignInIfOnlyProof(needs: Needs, caller: ProvedCaller): void {
  if (nonceRecipient(needs, caller.user) === null) requireRecentSignIn(needs, caller)
}

/**
 * Rejects a caller as {@link requireRecentSignInIfOnlyProof} does who adds, replaces or removes a
 * way to sign in, and every user where the configuration restricts new passwords: a stolen session
 * would need none if it could add an identity, and remove that of the owner.
 *
 * @throws AuthError as {@link requireRecentSignIn}.
 */
export function requireMayChangeSignIn(needs: Needs, caller: ProvedCaller): void {
  if (restrictsNewPasswords(needs)) requireRecentSignIn(needs, caller)
  else requireRecentSignInIfOnlyProof(needs, caller)
}
