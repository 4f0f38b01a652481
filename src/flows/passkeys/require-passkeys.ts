import type { AuthContext } from '../../deps.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { isUuid } from '../../kit/uuid.ts'
import {
  passkeyDisabled,
  passkeyNotFound,
  ssoUserWithoutPasskeys,
  strongSessionNeededForPasskeys,
} from '../../passkeys/passkey-errors.ts'
import { type Caller, needsStepUp } from '../../steps/authenticate-caller.ts'

/**
 * Refuses everybody where nobody signs in by passkey.
 *
 * @throws AuthError `passkey_disabled` (404).
 */
export function requirePasskeys({ config }: Pick<AuthContext, 'config'>): void {
  if (!config.passkeys.enabled) throw passkeyDisabled()
}

/**
 * Whether this caller may register a passkey, in this session.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `validation_failed` (422) for a user of single
 *   sign-on, `insufficient_aal` (403).
 */
export function requireMayRegister(caller: Caller): void {
  if (caller.claims.is_anonymous === true || caller.user.isAnonymous) throw anonymousNotAllowed()
  if (caller.user.isSsoUser) throw ssoUserWithoutPasskeys()
  requireMayManage(caller)
}

/**
 * Whoever has a second factor has to show it before passkeys come or go.
 *
 * @throws AuthError `insufficient_aal` (403).
 */
export function requireMayManage(caller: Caller): void {
  if (needsStepUp(caller)) throw strongSessionNeededForPasskeys()
}

/** The id of a passkey in lower case; what is no UUID is the id of none. */
export function requirePasskeyId(passkeyId: string): string {
  if (!isUuid(passkeyId)) throw passkeyNotFound()
  return passkeyId.toLowerCase()
}

const anonymousNotAllowed = (): AuthError =>
  new AuthError('no_authorization', 403, 'Anonymous user not allowed to perform these actions')
