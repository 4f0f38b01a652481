import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import { factorNotFound } from '../../accounts/factors/factor-errors.ts'
import { presentRecoveryCodes } from '../../accounts/factors/recovery-code.ts'
import { countRecoveryCodes } from '../../accounts/factors/recovery-codes.sql.ts'
import { stepUpNeededToUnenroll } from '../../accounts/sessions/session-errors.ts'
import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { isRecoveryCodes, type RecoveryCodesStatus } from '../../accounts/users/user.ts'
import { implement } from '../http/implement.ts'
import { generateRecoveryCodes, regenerateRecoveryCodes } from './generate-recovery-codes.ts'
import { requireSessionId } from './own-factor.ts'
import {
  type GeneratedRecoveryCodes,
  generateRecoveryCodesEndpoint,
  getRecoveryCodesEndpoint,
  regenerateRecoveryCodesEndpoint,
  unenrollRecoveryCodesEndpoint,
  verifyRecoveryCodeEndpoint,
} from './recovery-codes.endpoint.ts'
import { unenrollFactor } from './unenroll-factor.ts'
import { verifyRecoveryCode } from './verify-recovery-code.ts'

const presentGenerated = ({ id, friendlyName, codes }: GeneratedRecoveryCodes) => ({
  id,
  type: 'recovery_code',
  friendly_name: friendlyName ?? '',
  total: codes.length,
  codes,
})

export const recoveryCodesRoutes = [
  implement(getRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => getRecoveryCodes(ctx, caller),
    present: presentRecoveryCodes,
  }),
  implement(generateRecoveryCodesEndpoint, {
    run: ({ ctx, caller, input }) => generateRecoveryCodes(ctx, caller, input),
    present: presentGenerated,
  }),
  implement(verifyRecoveryCodeEndpoint, {
    run: ({ ctx, caller, input }) => verifyRecoveryCode(ctx, caller, input.code),
    present: presentSignedIn,
  }),
  implement(regenerateRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => regenerateRecoveryCodes(ctx, caller),
    present: presentGenerated,
  }),
  implement(unenrollRecoveryCodesEndpoint, {
    run: ({ ctx, caller }) => unenrollRecoveryCodes(ctx, caller),
    present: (id) => ({ id }),
    returns: () => undefined,
  }),
] as const

/**
 * Returns the number of the caller's recovery codes, in a session of any strength.
 *
 * @throws AuthError `no_authorization` (403) for an anonymous user, `mfa_factor_not_found`
 *   (404).
 */
async function getRecoveryCodes(ctx: AuthContext, caller: Caller): Promise<RecoveryCodesStatus> {
  requirePermanentUser(caller)
  return countRecoveryCodes(ctx.sql, requireOwnRecoveryCodes(caller))
}

/**
 * Removes the caller's recovery codes, as {@link unenrollFactor} removes any factor.
 *
 * @returns the id of the factor.
 * @throws AuthError `session_not_found`, `no_authorization` (403), `mfa_factor_not_found` (404),
 *   `insufficient_aal` (422), `reauthentication_needed` (403).
 */
async function unenrollRecoveryCodes(ctx: AuthContext, caller: Caller): Promise<string> {
  requirePermanentUser(caller)
  requireSessionId(caller)
  requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToUnenroll })
  return unenrollFactor(ctx, caller, requireOwnRecoveryCodes(caller))
}

function requireOwnRecoveryCodes(caller: Caller): string {
  const factor = caller.user.factors.find(isRecoveryCodes)
  if (!factor) throw factorNotFound()
  return factor.id
}
