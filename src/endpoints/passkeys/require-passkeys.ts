import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requireMayChangeSignIn } from '../../accounts/callers/recent-sign-in.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import {
  passkeyDisabled,
  passkeyNotFound,
  passkeySignUpDisabled,
  ssoUserWithoutPasskeys,
  stepUpNeededForPasskeys,
} from '../../accounts/passkeys/passkey-errors.ts'
import type { Session } from '../../accounts/sessions/session.ts'
import { sessionNotFound } from '../../accounts/sessions/session-errors.ts'
import { signUpDisabled } from '../../accounts/users/user-errors.ts'
import type { Config } from '../../platform/config/config.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'

/**
 * Returns the session in which this caller may register a passkey.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous user, `validation_failed` (422) for a
 *   user of single sign-on, `session_not_found`, `insufficient_aal`, `reauthentication_needed`
 *   (403).
 */
export function requireMayRegister(ctx: AuthContext, caller: Caller): Session {
  requirePermanentUser(caller)
  if (caller.user.isSsoUser) throw ssoUserWithoutPasskeys()
  requireMayChangePasskeys(ctx, caller)
  return caller.session
}

/**
 * Requires a session to add or remove passkeys, as for second factors, and recent proofs: a stolen
 * session must neither add a passkey nor remove the owner's.
 *
 * @throws AuthError `session_not_found` for a token without a session, `insufficient_aal`,
 *   `reauthentication_needed` (403).
 */
export function requireMayChangePasskeys(
  ctx: AuthContext,
  caller: Caller,
): asserts caller is Caller & { session: Session } {
  if (!caller.session) throw sessionNotFound()
  requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededForPasskeys })
  requireMayChangeSignIn(ctx, caller)
}

/** Returns the id of a passkey in lower case. An invalid UUID is reported as an unknown passkey. */
export function requirePasskeyId(passkeyId: string): string {
  if (!isUuid(passkeyId)) throw passkeyNotFound()
  return passkeyId.toLowerCase()
}

/**
 * Rejects all callers where passkeys are disabled.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export function requirePasskeys({ config }: { config: Config }): void {
  if (!config.passkeys.enabled) throw passkeyDisabled()
}

/**
 * Rejects all callers where sign-up by passkey is disabled.
 *
 * @throws AuthError `passkey_disabled` (404), `signup_disabled` (422).
 */
export function requireSignUp(ctx: { config: Config }): void {
  requirePasskeys(ctx)
  const { signUp, passkeys } = ctx.config
  if (signUp.disabled) throw signUpDisabled()
  if (!passkeys.signUpEnabled) throw passkeySignUpDisabled()
}

/**
 * Reads the browser's response to a challenge. The credential is not validated yet.
 *
 * @throws AuthError `validation_failed` (400).
 */
export function readAnswer({
  challengeId,
  credential,
}: {
  challengeId?: string | undefined
  credential?: object | undefined
}): { challengeId: string; credential: unknown } {
  if (!challengeId) throw validationFailed('challenge_id is required')
  if (!credential) throw validationFailed('credential is required')
  if (!isUuid(challengeId)) throw validationFailed('challenge_id must be a valid UUID')
  return { challengeId, credential }
}
