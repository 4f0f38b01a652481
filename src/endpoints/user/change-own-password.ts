import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { nonceRecipient } from '../../accounts/callers/nonce-recipient.ts'
import { isRecentEntry } from '../../accounts/callers/recent-proof.ts'
import { requireRecentSignIn } from '../../accounts/callers/recent-sign-in.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import { hasEstablishedAddress, isEstablished } from '../../accounts/users/established-address.ts'
import { hasConfirmedAddress, type User } from '../../accounts/users/user.ts'
import { addressTooNew } from '../../accounts/users/user-errors.ts'
import { hashingPriority } from '../../credentials/passwords/gate.ts'
import {
  currentPasswordInvalid,
  currentPasswordRequired,
  reauthenticationNeeded,
  samePassword,
} from '../../credentials/passwords/password-errors.ts'
import { requireAttempt, takeOwnPasswordAttempt } from '../../limits/count-password-attempt.ts'
import type { UserUpdate } from './read-update.ts'
import { requireNonce } from './require-nonce.ts'

/** A permitted change of password. */
export interface PasswordChange {
  passwordHash: string
  /** The hash at the time of the check. The change is permitted only while it is stored. */
  replacedHash: string | null
  /** The nonce that the change consumes, where one is required. */
  nonceTokenId: string | null
}

/**
 * Checks whether the user may set this password.
 *
 * Each comparison with the current password first counts as an attempt, together with sign-ins: a
 * stolen session permits no additional guesses. Where no attempt is left and the current password
 * is not required, it is not compared: clients that use up an address's attempts cannot prevent its
 * owner from setting a new password.
 *
 * @param currentHash the stored hash; null for a user without a password.
 * @throws AuthError `reauthentication_needed`, `current_password_required`,
 *   `current_password_invalid` (400), `reauthentication_not_valid`, `same_password` (422),
 *   `over_request_rate_limit` (429), `reauthentication_needed` (403) as `requireRecentSignIn`,
 *   `address_too_new` (422).
 */
export async function allowPasswordChange(
  ctx: AuthContext,
  caller: Caller,
  currentHash: string | null,
  { password = '', currentPassword, nonce }: UserUpdate,
): Promise<PasswordChange> {
  const nonceTokenId = await nonceToken(ctx, caller.user, nonce)
  const priority = hashingPriority(ctx, caller.user.id, 'known')
  const { requireCurrentPassword } = ctx.config.security.passwordUpdate
  if (currentHash === null && requireCurrentPassword) requireMaySetFirst(ctx, caller)
  if (currentHash !== null) {
    // The thief of a session could have added an address, so a code to a new one does not count.
    const counts = (kind: Address['kind']) => isEstablished(caller.user, kind, ctx.clock.now())
    const justProved = requireCurrentPassword ? justProvedAddresses(ctx, caller) : []
    const isRequired = requireCurrentPassword && !justProved.some(counts)
    if (isRequired && !currentPassword) {
      throw justProved.length > 0 ? addressTooNew() : currentPasswordRequired()
    }
    const attempt = await takeOwnPasswordAttempt(ctx, caller.user)
    if (isRequired) {
      requireAttempt(ctx, attempt)
      const isRight = await ctx.passwords.verify(currentHash, currentPassword ?? '', priority)
      if (!isRight) throw currentPasswordInvalid()
    }
    const mayCompare = attempt.waitSeconds === null
    if (mayCompare && (await ctx.passwords.verify(currentHash, password, priority)))
      throw samePassword()
  }
  return {
    passwordHash: await ctx.passwords.hash(password, priority),
    replacedHash: currentHash,
    nonceTokenId,
  }
}

/**
 * Returns the token of the submitted nonce; null where none is required. The change consumes it. No
 * nonce can be sent to a user without a confirmed address: `updateOwnUser` requires a recent
 * sign-in. One whose address is too new has to wait until it is established.
 */
async function nonceToken(
  ctx: AuthContext,
  user: User,
  nonce: string | undefined,
): Promise<string | null> {
  const { requireReauthentication } = ctx.config.security.passwordUpdate
  if (!requireReauthentication || nonceRecipient(ctx, user) === null) return null
  if (!nonce) throw reauthenticationNeeded('Password update requires reauthentication')
  return requireNonce(ctx, user, nonce)
}

/**
 * Requires what sets the first password: a recent sign-in. A confirmed address has to be
 * established, since it may have ended the password of the owner.
 */
function requireMaySetFirst(ctx: AuthContext, caller: Caller): void {
  requireRecentSignIn(ctx, caller)
  const { user } = caller
  if (hasConfirmedAddress(user) && !hasEstablishedAddress(user, ctx.clock.now()))
    throw addressTooNew()
}

/**
 * Returns the addresses by which the user has just signed in, with a code or link, and may have
 * lost the password. An older session may have been stolen.
 */
const justProvedAddresses = (ctx: AuthContext, { session }: Caller): Address['kind'][] =>
  (session?.amr ?? [])
    .filter((entry) => byMessage.includes(entry.method) && isRecentEntry(ctx, entry))
    .map(({ sentTo }) => sentTo ?? 'email')

const byMessage = ['otp', 'magiclink', 'recovery']
