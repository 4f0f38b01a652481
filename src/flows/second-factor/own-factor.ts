import type { Config } from '../../config/config.ts'
import { AuthError } from '../../errors/auth-error.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { factorNotFound, verifyNotEnabled } from '../../factors/factor-errors.ts'
import { isUuid } from '../../kit/uuid.ts'
import { sessionNotFound, strongSessionNeededToEnroll } from '../../sessions/session-errors.ts'
import { type Caller, needsStepUp } from '../../steps/authenticate-caller.ts'
import type { ChallengedFactorType, Factor } from '../../users/user.ts'

/**
 * A factor of the caller's own. Somebody else's is not told from one that never was.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `validation_failed` (404) for what
 *   is no UUID, `mfa_factor_not_found` (404).
 */
export function requireOwnFactor(caller: Caller, factorId: string): Factor {
  requireRegistered(caller)
  if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
  const factor = caller.user.factors.find(({ id }) => id === factorId.toLowerCase())
  if (!factor) throw factorNotFound()
  return factor
}

/** Second factors are for those who have a first one. By the token: who became somebody gets a new one. */
export function requireRegistered({ claims }: Caller): void {
  if (claims.is_anonymous === true) throw anonymousNotAllowed()
}

/** What a second factor strengthens is the session of its token, so there has to be one. */
export function requireSessionId({ session }: Caller): string {
  if (!session) throw sessionNotFound()
  return session.id
}

/**
 * Refuses a factor that cannot be shown: one of a type that is switched off, or one that was begun, while
 * the user has others and has shown none. Who knows a password may have begun one long ago, and must not
 * get past the factor that the user has by now.
 *
 * @throws AuthError `mfa_factor_not_found` (404) for recovery codes, of which no challenge asks,
 *   `mfa_totp_verify_not_enabled`, `mfa_phone_verify_not_enabled`, `mfa_webauthn_verify_not_enabled` (422),
 *   `insufficient_aal` (403).
 */
export function requireProvable(config: Config, caller: Caller, factor: Factor): void {
  const { factorType, status } = factor
  if (factorType === 'recovery_code') throw factorNotFound()
  if (!canVerify(config, factorType)) throw verifyNotEnabled(factorType)
  if (status === 'unverified' && needsStepUp(caller)) throw strongSessionNeededToEnroll()
}

const canVerify = ({ mfa }: Config, type: ChallengedFactorType): boolean =>
  type === 'webauthn' ? mfa.webAuthn.verifyEnabled : mfa[type].verifyEnabled

/** Where codes for a factor are sent; null for one that the user has codes of. */
export const phoneOf = ({ factorType, phone }: Factor): string | null =>
  factorType === 'phone' ? phone : null

const anonymousNotAllowed = (): AuthError =>
  new AuthError('no_authorization', 403, 'Anonymous user not allowed to perform these actions')
