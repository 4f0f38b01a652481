import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import type { User } from '../../accounts/users/user.ts'
import {
  currentPasswordInvalid,
  currentPasswordRequired,
  reauthenticationNeeded,
  samePassword,
} from '../../credentials/passwords/password-errors.ts'
import { requireAttempt, takeOwnPasswordAttempt } from '../../limits/count-password-attempt.ts'
import { hashingTurn } from '../../limits/hashing-turn.ts'
import type { UserUpdate } from './read-update.ts'
import { requireNonce } from './require-nonce.ts'

/** A change of password that is allowed. */
export interface PasswordChange {
  passwordHash: string
  /** What was stored when it was allowed; it is allowed for that alone. */
  replacedHash: string | null
  /** The nonce that it spends, where it needs one. */
  nonceTokenId: string | null
}

/**
 * Finds out whether the user may set this password.
 *
 * Each answer that depends on the current password counts as an attempt on it, with those of sign-ins,
 * before anything is compared: a stolen session gives nobody more of them to try. Where no attempt is left
 * and the current password is not asked for, it is not compared at all: strangers who use up the attempts
 * of an address keep nobody from setting a new one.
 *
 * @param currentHash what is stored now; null for a user without a password.
 * @throws AuthError `reauthentication_needed`, `current_password_required`,
 *   `current_password_invalid` (400), `reauthentication_not_valid`, `same_password` (422),
 *   `over_request_rate_limit` (429).
 */
export async function allowPasswordChange(
  ctx: AuthContext,
  caller: Caller,
  currentHash: string | null,
  { password = '', currentPassword, nonce }: UserUpdate,
): Promise<PasswordChange> {
  const nonceTokenId = await nonceToken(ctx, caller.user, nonce)
  const turn = hashingTurn(ctx, caller.user.id, true)
  if (currentHash !== null) {
    const isAsked = asksForCurrentPassword(ctx, caller)
    if (isAsked && !currentPassword) throw currentPasswordRequired()
    const attempt = await takeOwnPasswordAttempt(ctx, caller.user)
    if (isAsked) {
      requireAttempt(ctx, attempt)
      const isRight = await ctx.passwords.verify(currentHash, currentPassword ?? '', turn)
      if (!isRight) throw currentPasswordInvalid()
    }
    const mayCompare = attempt.waitSeconds === null
    if (mayCompare && (await ctx.passwords.verify(currentHash, password, turn)))
      throw samePassword()
  }
  return {
    passwordHash: await ctx.passwords.hash(password, turn),
    replacedHash: currentHash,
    nonceTokenId,
  }
}

/** The token of the nonce that was given; null where none is asked for. It is spent with the change. */
async function nonceToken(
  ctx: AuthContext,
  user: User,
  nonce: string | undefined,
): Promise<string | null> {
  if (!ctx.config.security.passwordUpdate.requireReauthentication) return null
  if (!nonce) throw reauthenticationNeeded('Password update requires reauthentication')
  return requireNonce(ctx, user, nonce)
}

function asksForCurrentPassword({ config }: AuthContext, { session }: Caller): boolean {
  if (!config.security.passwordUpdate.requireCurrentPassword) return false
  // Who came by a code or link has forgotten the password, and has just proved the address.
  const byMessage = ['otp', 'magiclink', 'recovery']
  return !session?.amr.some(({ method }) => byMessage.includes(method))
}
