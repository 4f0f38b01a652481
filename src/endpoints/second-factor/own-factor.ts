import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import {
  factorNotFound,
  tooManyFactors,
  verifyNotEnabled,
} from '../../accounts/factors/factor-errors.ts'
import { sessionNotFound, stepUpNeededToEnroll } from '../../accounts/sessions/session-errors.ts'
import { type Factor, isRecoveryCodes } from '../../accounts/users/user.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import {
  type ChallengedFactorType,
  factorSwitches,
} from '../../platform/factor-kinds/factor-kinds.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { factorKind } from './factor-kinds/factor-kinds.ts'

/**
 * Returns a factor of the caller. The response does not distinguish another user's factor from an
 * unknown one.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous user, `validation_failed` (404) for
 *   an invalid UUID, `mfa_factor_not_found` (404).
 */
export function requireOwnFactor(caller: Caller, factorId: string): Factor {
  requirePermanentUser(caller)
  if (!isUuid(factorId)) throw validationFailed('factor_id must be an UUID', 404)
  const factor = caller.user.factors.find(({ id }) => id === factorId.toLowerCase())
  if (!factor) throw factorNotFound()
  return factor
}

/** Returns the session of the token, whose assurance level a second factor raises. */
export function requireSessionId({ session }: Caller): string {
  if (!session) throw sessionNotFound()
  return session.id
}

/**
 * Rejects a factor of a kind that is switched off or that this session may not use, and an
 * unverified factor while the user has a verified one that this session has not proved. An attacker
 * who knows the password may have enrolled a factor long ago, and must not bypass the user's own
 * factor by it.
 *
 * @returns the type of the factor.
 * @throws AuthError `mfa_factor_not_found` (404) for recovery codes, which have no challenge,
 *   `mfa_…_verify_not_enabled`, `too_many_enrolled_mfa_factors` (422), `insufficient_aal`,
 *   `reauthentication_needed` (403), and the errors of the kind.
 */
export function requireVerifiable(
  ctx: Pick<AuthContext, 'carriers' | 'clock' | 'config'>,
  caller: Caller,
  { factorType, status }: Factor,
): ChallengedFactorType {
  if (factorType === 'recovery_code') throw factorNotFound()
  if (!factorSwitches(ctx.config, factorType).verifyEnabled) throw verifyNotEnabled(factorType)
  factorKind(factorType).requireUsable?.(ctx, caller)
  if (status === 'unverified') {
    requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToEnroll })
    requireRoomForVerified(ctx, caller.user.factors)
  }
  return factorType
}

/** @throws AuthError `too_many_enrolled_mfa_factors` (422). */
export function requireRoomForVerified(
  { config }: Pick<AuthContext, 'config'>,
  factors: readonly Factor[],
): void {
  const verified = factors.filter((one) => one.status === 'verified' && !isRecoveryCodes(one))
  if (verified.length >= config.mfa.maxVerifiedFactors) throw tooManyFactors()
}
