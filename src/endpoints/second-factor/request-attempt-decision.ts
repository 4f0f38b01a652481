import type { AuthContext } from '../../accounts/auth-context.ts'
import { verificationRejected } from '../../accounts/factors/factor-errors.ts'
import { revokeAllSessions } from '../../accounts/lifecycle/revoke-all-sessions.ts'
import type { Factor, User } from '../../accounts/users/user.ts'
import { rejectionIn, requestDecision } from '../../delivery/hooks/request-decision.ts'
import type { MfaVerificationPayload } from '../../platform/config/sections/hooks.ts'

const defaultMessage = 'Further MFA verification attempts will be rejected.'

/**
 * Calls the application's hook, where there is one, for an attempt to prove a factor, right or
 * wrong. A rejection by the hook ends all sessions of the user.
 *
 * @throws AuthError `mfa_verification_rejected` (403), and the hook's errors.
 */
export async function requestAttemptDecision(
  ctx: AuthContext,
  { id: userId }: User,
  { id: factorId, factorType }: Factor,
  valid: boolean,
): Promise<void> {
  const attempt = { user_id: userId, factor_id: factorId, factor_type: factorType, valid }
  const output = await requestDecision(
    ctx,
    'mfaVerificationAttempt',
    attempt satisfies Omit<MfaVerificationPayload, 'metadata'>,
  )
  const rejection = rejectionIn(output, defaultMessage)
  if (rejection === null) return
  const traits = { factor_id: factorId, reason: 'mfa_verification_rejected' }
  await revokeAllSessions(ctx, userId, { reason: 'rejected', traits })
  throw verificationRejected(rejection.message, rejection.details)
}
