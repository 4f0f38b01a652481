import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { factorNotFound } from '../../accounts/factors/factor-errors.ts'
import { countRecoveryCodes } from '../../accounts/factors/recovery-codes.sql.ts'
import type { RecoveryCodesStatus } from '../../accounts/factors/recovery-codes-status.ts'
import { strongSessionNeededToUnenroll } from '../../accounts/sessions/session-errors.ts'
import { isRecoveryCodes } from '../../accounts/users/user.ts'
import { requireRegistered, requireSessionId } from './own-factor.ts'
import { unenrollFactor } from './unenroll-factor.ts'

/**
 * How many recovery codes the caller has, in a session of any strength.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous visitor, `mfa_factor_not_found`
 *   (404).
 */
export async function getRecoveryCodes(
  ctx: AuthContext,
  caller: Caller,
): Promise<RecoveryCodesStatus> {
  requireRegistered(caller)
  return countRecoveryCodes(ctx.sql, requireOwnRecoveryCodes(caller))
}

/**
 * Removes the caller's recovery codes, as {@link unenrollFactor} removes any factor.
 *
 * @returns the id of the factor.
 * @throws AuthError `session_not_found`, `no_authorization` (403), `mfa_factor_not_found` (404),
 *   `insufficient_aal` (422), `reauthentication_needed` (403).
 */
export async function unenrollRecoveryCodes(ctx: AuthContext, caller: Caller): Promise<string> {
  requireRegistered(caller)
  requireSessionId(caller)
  requireRecentProof(ctx, caller, { insufficientAal: strongSessionNeededToUnenroll })
  return unenrollFactor(ctx, caller, requireOwnRecoveryCodes(caller))
}

function requireOwnRecoveryCodes(caller: Caller): string {
  const factor = caller.user.factors.find(isRecoveryCodes)
  if (!factor) throw factorNotFound()
  return factor.id
}
