import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { requireRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requireMayChangeSignIn } from '../../accounts/callers/recent-sign-in.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import { removeFactor } from '../../accounts/lifecycle/remove-factor.sql.ts'
import { factorMethods } from '../../accounts/sessions/assurance.ts'
import { stepUpNeededToUnenroll } from '../../accounts/sessions/session-errors.ts'
import { requireOwnFactor, requireSessionId } from './own-factor.ts'

/**
 * Removes one of the caller's factors. Sessions that it proved stay, at `aal1`.
 *
 * @returns the id of the factor.
 * @throws AuthError `session_not_found`, `no_authorization` (403), `mfa_factor_not_found`,
 *   `validation_failed` for a malformed id (404), `insufficient_aal` (422),
 *   `reauthentication_needed` (403) for a verified factor in a session without a recent proof of
 *   one.
 */
export async function unenrollFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
): Promise<string> {
  return withLockedCaller(ctx, caller, (tx, current) => remove(tx, current, factorId))
}

async function remove(ctx: AuthContext, caller: Caller, factorId: string): Promise<string> {
  const { id, status, factorType } = requireOwnFactor(caller, factorId)
  const sessionId = requireSessionId(caller)
  // Without the last factor, no proof would be required to add a credential.
  if (status === 'verified') {
    requireRecentProof(ctx, caller, { insufficientAal: stepUpNeededToUnenroll })
    requireMayChangeSignIn(ctx, caller)
  }
  const { user } = caller
  const removed = event('factor.removed', { factor_id: id, factor_type: factorType })
  const traits = { factor_id: id, factor_status: status, session_id: sessionId }
  const act = {
    audit: { action: 'factor_unenrolled', actorId: user.id, traits },
    events: { userId: user.id, events: status === 'verified' ? [removed] : [] },
    notices: factorNotice(ctx, 'mfaFactorUnenrolled', user, factorType),
  } as const
  await performAct(ctx, act, (rows) =>
    removeFactor(ctx.sql, { userId: user.id, factorId: id, methods: factorMethods, ...rows }),
  )
  return id
}
