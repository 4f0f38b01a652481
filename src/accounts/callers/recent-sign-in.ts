import type { AuthContext } from '../auth-context.ts'
import { newerProofNeeded, newerSignInNeeded } from '../sessions/session-errors.ts'
import { nonceAddressOf } from '../users/addresses.ts'
import { hasUsableIdentity, hasVerifiedFactor, isProved, type User } from '../users/user.ts'
import { type ProvedCaller, requireStoredCaller } from './authenticate-caller.ts'
import { hasRecentProof, nextProof } from './recent-proof.ts'

type Needs = Pick<AuthContext, 'clock' | 'config'>

/** Returns whether a nonce proves the user: it is sent to a confirmed address. */
export function isProvedByNonce(user: User): boolean {
  const address = nonceAddressOf(user)
  return address !== null && isProved(user, address.kind)
}

/**
 * Returns whether the account has a way to sign in. An anonymous user needs an identity for that.
 */
export const canSignInAgain = (user: User): boolean => !user.isAnonymous || hasUsableIdentity(user)

/**
 * Returns whether only a sign-in proves the user: the account has neither a password nor a
 * confirmed address, as after a sign-up by passkey, wallet or a provider without an address.
 */
export const isProvedBySignInOnly = (user: User, passwordHash: string | null): boolean =>
  canSignInAgain(user) && passwordHash === null && !isProvedByNonce(user)

/**
 * Rejects a caller without a recent sign-in who sets the first password of an account that only a
 * sign-in proves, or deletes it: a stolen session would become the owner of the account.
 *
 * @throws AuthError `reauthentication_needed` (403) with `details.stepUp`.
 */
export function requireRecentSignIn(
  needs: Needs,
  caller: ProvedCaller,
  passwordHash: string | null,
): void {
  if (isProvedBySignInOnly(caller.user, passwordHash)) requireRecent(needs, caller)
}

function requireRecent(needs: Needs, caller: ProvedCaller): void {
  if (hasRecentProof(needs, caller)) return
  throw hasVerifiedFactor(caller.user) ? newerProofNeeded(nextProof(caller)) : newerSignInNeeded()
}

/**
 * Rejects a caller without a recent sign-in who adds, replaces or removes a way to sign in, where
 * that is more than the session permits otherwise. A stolen session would need no new password
 * where the configuration restricts that: it could add an identity, and remove that of the owner.
 * Nor would it need the password of an account without a confirmed address, whose first one
 * suspends all that was added before.
 *
 * @throws AuthError as {@link requireRecentSignIn}.
 */
export function requireMayChangeSignIn(needs: Needs, caller: ProvedCaller): void {
  const { user } = caller
  const isRestricted = isPasswordRestricted(needs) || !isProvedByNonce(user)
  if (isRestricted && canSignInAgain(user)) requireRecent(needs, caller)
}

function isPasswordRestricted({ config }: Needs): boolean {
  const { requireReauthentication, requireCurrentPassword } = config.security.passwordUpdate
  return requireReauthentication || requireCurrentPassword
}

/**
 * Rejects a caller as {@link requireRecentSignIn} does, and reads the password only if it decides.
 *
 * @throws AuthError as {@link requireRecentSignIn}, and the errors of `requireStoredCaller`.
 */
export async function requireRecentSignInOfCaller(
  ctx: AuthContext,
  caller: ProvedCaller,
): Promise<void> {
  const { user, session } = caller
  if (!isProvedBySignInOnly(user, null) || hasRecentProof(ctx, caller)) return
  const actor = { userId: user.id, sessionId: session?.id ?? null }
  const { stored } = await requireStoredCaller(ctx, actor)
  requireRecentSignIn(ctx, { ...caller, user: stored.user }, stored.passwordHash)
}
