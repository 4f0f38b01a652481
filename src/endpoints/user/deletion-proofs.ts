import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Actor, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import {
  canSignInAgain,
  isProvedByNonce,
  isProvedBySignInOnly,
} from '../../accounts/callers/recent-sign-in.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'

/** The proofs that a user can submit for the deletion of the account. */
export interface DeletionProofs {
  password: boolean
  /** A nonce that `/reauthenticate` sends. */
  nonce: boolean
  /** A recent sign-in: of a user who has neither password nor confirmed address. */
  recentSignIn: boolean
  /** The account that has these proofs. */
  stored: StoredUser
}

/**
 * Returns the proofs that a user can submit. An anonymous user without an identity needs none.
 *
 * @throws AuthError as `requireStoredCaller`.
 */
export async function findDeletionProofs(ctx: AuthContext, caller: Actor): Promise<DeletionProofs> {
  const { stored } = await requireStoredCaller(ctx, caller)
  const { user, passwordHash } = stored
  if (!canSignInAgain(user)) return { password: false, nonce: false, recentSignIn: false, stored }
  return {
    password: passwordHash !== null,
    nonce: isProvedByNonce(user),
    recentSignIn: isProvedBySignInOnly(user, passwordHash),
    stored,
  }
}
