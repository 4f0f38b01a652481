import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import {
  recoveryCodesLocked,
  recoveryCodesNotEnabled,
  verificationFailed,
} from '../../factors/factor-errors.ts'
import { passRecoveryCode } from '../../factors/pass-recovery-code.sql.ts'
import { hashesOfRecoveryCode } from '../../factors/recovery-code.ts'
import { tryRecoveryCode } from '../../factors/try-recovery-code.sql.ts'
import { guessLimits, recoveryCodeKey, secondsToNextGuess } from '../../limits/factor-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { factorMethods, proofBy } from '../../sessions/assurance.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { recoveryCodeNotice } from '../../steps/change-notices.ts'
import { countGuess } from '../../steps/count-guess.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { issueRaisedSession, type SignedIn } from '../../steps/issue-session.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { requireLiveSession } from '../../steps/require-live-session.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import { isRecoveryCodes, type User } from '../../users/user.ts'
import { askAboutAttempt } from './ask-about-attempt.ts'
import { requireRegistered, requireSessionId } from './own-factor.ts'

/**
 * Spends a recovery code: the session rises to `aal2` and gets new tokens, as by any factor. A code is good once.
 * Whoever has none gets the answer of a wrong code.
 *
 * @throws AuthError `session_not_found`, `session_expired`, `no_authorization`, `mfa_verification_rejected` (403),
 *   `validation_failed` (400), `mfa_recovery_codes_verify_not_enabled`, `mfa_verification_failed` (422),
 *   `mfa_recovery_codes_locked` (429), `service_unavailable` (503).
 */
export async function verifyRecoveryCode(
  ctx: AuthContext,
  caller: Caller,
  code: string | undefined,
): Promise<SignedIn> {
  requireRegistered(caller)
  const sessionId = requireSessionId(caller)
  requireLiveSession(ctx, caller)
  if (!code) throw validationFailed('code: Code needs to be non-empty')
  if (!ctx.config.mfa.recoveryCodes.verifyEnabled) throw recoveryCodesNotEnabled('verify')

  const { user, claims } = caller
  const factor = user.factors.find(isRecoveryCodes)
  const hashes = factor ? hashesOfRecoveryCode(ctx.roots, factor.id, code) : []
  const isRight = await isUnspent(ctx, user, factor?.id ?? null, hashes)
  if (factor) await askAboutAttempt(ctx, user, factor, isRight)
  if (!factor || !isRight) throw verificationFailed('recovery_code')

  const now = ctx.clock.now()
  const note = auditNote(ctx, {
    action: 'verification_attempted',
    actorId: user.id,
    traits: { factor_id: factor.id, factor_type: factor.factorType },
  })
  const { row, current, isTold } = await withLockedUser(ctx, user.id, async (tx) => {
    const { user: current } = await requireCaller(tx, claims)
    const notices = recoveryCodeNotice(tx, current)
    const used = happened('recovery_code.used', { factor_id: factor.id, session_id: sessionId })
    const row = await passRecoveryCode<SessionRow>(tx.sql, {
      userId: current.id,
      sessionId,
      factorId: factor.id,
      hashes,
      now,
      proof: proofBy(factorMethods.recovery_code, now),
      messageRows: joinRows(
        rowsOf('outbox_messages', ...outboxRows(tx, notices)),
        eventRows(tx, current.id, [used]),
      ),
      auditRows: note.rows,
    })
    return { row, current, isTold: notices.length > 0 }
  })
  // Somebody else was faster with the code, or replaced it.
  if (!row) throw verificationFailed('recovery_code')
  note.log()
  if (isTold) ctx.outbox.wake()
  tellEvents(ctx)
  return issueRaisedSession(ctx, current, row, factorMethods.recovery_code)
}

/** Whether a code is one of the user's that is unspent, once the guess is counted. */
async function isUnspent(
  ctx: AuthContext,
  { id: userId }: User,
  factorId: string | null,
  hashes: readonly string[],
): Promise<boolean> {
  const key = recoveryCodeKey(userId)
  if (!(await countGuess(ctx, 'code', key)))
    throw recoveryCodesLocked(secondsToNextGuess({ within_share: true }))
  const guessing = spendLimits(guessLimits(key, ctx.request.clientKey()), ctx.clock.now())
  const tried = await tryRecoveryCode(ctx.sql, guessing, { factorId, hashes })
  if (!tried.allowed) throw recoveryCodesLocked(secondsToNextGuess(tried))
  return tried.is_right
}
