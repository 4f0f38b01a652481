import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Actor, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import { isProvedByNonce, isProvedBySignInOnly } from '../../accounts/callers/recent-proof.ts'

/** The proofs that a user can submit for the deletion of the account. */
export interface DeletionProofs {
  password: boolean
  /** A nonce that `/reauthenticate` sends. */
  nonce: boolean
  /** A recent sign-in: of a user who has neither password nor confirmed address. */
  recentSignIn: boolean
  /** The version of the account that has these proofs. */
  version: number
}

/**
 * Returns the proofs that a user can submit. An anonymous user needs none.
 *
 * @throws AuthError as `requireStoredCaller`.
 */
export async function findDeletionProofs(ctx: AuthContext, caller: Actor): Promise<DeletionProofs> {
  const { user, passwordHash, version } = (await requireStoredCaller(ctx, caller)).stored
  if (user.isAnonymous) return { password: false, nonce: false, recentSignIn: false, version }
  return {
    password: passwordHash !== null,
    nonce: isProvedByNonce(user),
    recentSignIn: isProvedBySignInOnly(user, passwordHash),
    version,
  }
}
