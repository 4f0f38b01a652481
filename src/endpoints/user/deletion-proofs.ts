import type { AuthContext } from '../../accounts/auth-context.ts'
import { type Actor, requireStoredCaller } from '../../accounts/callers/authenticate-caller.ts'
import { nonceRecipient } from '../../accounts/callers/nonce-recipient.ts'
import { canSignInAgain } from '../../accounts/callers/recent-sign-in.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'

/** The proofs that a user can submit for the deletion of the account. */
export interface DeletionProofs {
  password: boolean
  /** A nonce that `/reauthenticate` sends. */
  nonce: boolean
  /** A recent sign-in: of a user who has neither password nor confirmed address. */
  recentSignIn: boolean
  /** Whether no nonce can be sent yet. The owner of the account can notice the new address. */
  addressTooNew: boolean
}

/**
 * Returns the proofs that a user can submit, and the account that has them. An anonymous user
 * without an identity needs none.
 *
 * @throws AuthError as `requireStoredCaller`.
 */
export async function findDeletionProofs(
  ctx: AuthContext,
  caller: Actor,
): Promise<{ proofs: DeletionProofs; stored: StoredUser }> {
  const { stored } = await requireStoredCaller(ctx, caller)
  const { user, passwordHash } = stored
  const isNeeded = canSignInAgain(user)
  const password = isNeeded && passwordHash !== null
  const recipient = nonceRecipient(ctx, user)
  const addressTooNew = isNeeded && recipient === 'too_new'
  const nonce = isNeeded && recipient !== null && !addressTooNew
  const recentSignIn = isNeeded && !password && recipient === null
  return { proofs: { password, nonce, recentSignIn, addressTooNew }, stored }
}
