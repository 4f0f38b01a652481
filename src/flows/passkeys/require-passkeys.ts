import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { isUuid } from '../../kit/uuid.ts'
import {
  passkeyDisabled,
  passkeyNotFound,
  passkeySignUpDisabled,
  ssoUserWithoutPasskeys,
  strongSessionNeededForPasskeys,
} from '../../passkeys/passkey-errors.ts'
import type { Session } from '../../sessions/session.ts'
import { sessionNotFound } from '../../sessions/session-errors.ts'
import { type Caller, needsStepUp } from '../../steps/authenticate-caller.ts'
import { signUpDisabled } from '../../users/user-errors.ts'

/**
 * Refuses everybody where nobody signs in by passkey.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export function requirePasskeys({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.passkeys.enabled) throw passkeyDisabled()
}

/**
 * Refuses everybody where nobody gets an account by a passkey alone.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422).
 */
export function requireSignUp(ctx: Pick<AuthContext, 'config'>): void {
  requirePasskeys(ctx)
  const { signUp, passkeys } = ctx.config
  if (signUp.disabled) throw signUpDisabled()
  if (!passkeys.signUpEnabled) throw passkeySignUpDisabled()
}

/**
 * The session that this caller may register a passkey in.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `validation_failed` (422) for a user of single
 *   sign-on, `session_not_found`, `insufficient_aal` (403).
 */
export function requireMayRegister(caller: Caller): Session {
  if (caller.claims.is_anonymous === true || caller.user.isAnonymous) throw anonymousNotAllowed()
  if (caller.user.isSsoUser) throw ssoUserWithoutPasskeys()
  return requireMayManage(caller)
}

/**
 * Passkeys come and go in a session, as second factors do, and whoever has one of those has to show it before.
 *
 * @throws AuthError `session_not_found` for a token without a session, `insufficient_aal` (403).
 */
export function requireMayManage(caller: Caller): Session {
  if (!caller.session) throw sessionNotFound()
  if (needsStepUp(caller)) throw strongSessionNeededForPasskeys()
  return caller.session
}

/** The id of a passkey in lower case; what is no UUID is the id of none. */
export function requirePasskeyId(passkeyId: string): string {
  if (!isUuid(passkeyId)) throw passkeyNotFound()
  return passkeyId.toLowerCase()
}

const anonymousNotAllowed = (): AuthError =>
  new AuthError('no_authorization', 403, 'Anonymous user not allowed to perform these actions')
