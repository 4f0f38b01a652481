import { recoveryCodeNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { factorProof } from '../../accounts/callers/recent-proof.ts'
import { requirePermanentUser } from '../../accounts/callers/require-permanent-user.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import {
  recoveryCodesLocked,
  recoveryCodesNotEnabled,
  verificationFailed,
} from '../../accounts/factors/factor-errors.ts'
import { type ResealedSecret, resealFactorSecret } from '../../accounts/factors/factor-secret.ts'
import { hashesOfRecoveryCode } from '../../accounts/factors/recovery-code.ts'
import { tryRecoveryCode } from '../../accounts/factors/recovery-codes.sql.ts'
import { passRecoveryCode } from '../../accounts/lifecycle/pass-recovery-code.sql.ts'
import { factorMethods, proofBy } from '../../accounts/sessions/assurance.ts'
import type { Session, SessionRow } from '../../accounts/sessions/session.ts'
import { type IssuedSession, issueRaisedSession } from '../../accounts/sign-in/issue-session.ts'
import { isRecoveryCodes, type User } from '../../accounts/users/user.ts'
import { countGuess } from '../../limits/count-guess.ts'
import { guessLimits, recoveryCodeKey, secondsToNextGuess } from '../../limits/factor-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireSessionId } from './own-factor.ts'
import { requestAttemptDecision } from './request-attempt-decision.ts'

/**
 * Consumes a recovery code: the session rises to `aal2` and gets new tokens, as with any factor. A
 * user without codes gets the response to a wrong code.
 *
 * @throws AuthError `session_not_found`, `session_expired`, `no_authorization`,
 *   `mfa_verification_rejected` (403), `validation_failed` (400),
 *   `mfa_recovery_codes_verify_not_enabled`, `mfa_verification_failed` (422),
 *   `mfa_recovery_codes_locked` (429), `service_unavailable` (503).
 */
export async function verifyRecoveryCode(
  ctx: AuthContext,
  caller: Caller,
  code: string | undefined,
): Promise<IssuedSession> {
  requirePermanentUser(caller)
  const sessionId = requireSessionId(caller)
  if (!code) throw validationFailed('code: Code needs to be non-empty')
  if (!ctx.config.mfa.recoveryCodes.verifyEnabled) throw recoveryCodesNotEnabled('verify')

  const { user } = caller
  const factor = user.factors.find(isRecoveryCodes)
  const right = await findUnspent(ctx, user, factor?.id ?? null, code)
  if (factor) await requestAttemptDecision(ctx, user, factor, right !== null)
  if (!factor || !right) throw verificationFailed('recovery_code')

  const now = ctx.clock.now()
  const { row, current } = await withLockedCaller(
    ctx,
    caller,
    async (tx, { user: current, session }) => {
      const used = event('recovery_code.used', { factor_id: factor.id, session_id: sessionId })
      const traits = { factor_id: factor.id, factor_type: factor.factorType }
      const act = {
        audit: { action: 'verification_attempted', actorId: current.id, traits },
        events: { userId: current.id, events: [used] },
        notices: recoveryCodeNotice(tx, current),
      } as const
      const proof = recoveryProof(tx, current, session)
      const passing = { userId: current.id, sessionId, factorId: factor.id, ...right, now, proof }
      const row = await performAct(tx, act, (rows) =>
        passRecoveryCode<SessionRow>(tx.sql, { ...passing, ...rows }),
      )
      return { row, current }
    },
  )
  // A concurrent request has consumed or replaced the code.
  if (!row) throw verificationFailed('recovery_code')
  return issueRaisedSession(ctx, current, row, factorMethods.recovery_code)
}

/** The entry of `amr` for a code of the set that the user has under the lock. */
function recoveryProof(ctx: AuthContext, { factors }: User, session: Session | null) {
  const method = factorMethods.recovery_code
  const codes = factors.find(isRecoveryCodes)
  return session && codes
    ? factorProof(ctx, session, codes, method)
    : proofBy(method, ctx.clock.now())
}

/** The stored values of a correct code. */
interface UnspentCode {
  /** The hashes that its row may contain. */
  hashes: string[]
  resealed: ResealedSecret | null
}

/** Counts the attempt, then finds an unused code of the user; null for a wrong one. */
async function findUnspent(
  ctx: AuthContext,
  { id: userId }: User,
  factorId: string | null,
  code: string,
): Promise<UnspentCode | null> {
  const key = recoveryCodeKey(userId)
  if (!(await countGuess(ctx, 'code', key)))
    throw recoveryCodesLocked(secondsToNextGuess({ within_share: true }))
  const guessing = spendLimits(ctx, guessLimits(key, ctx.request.clientKey()))
  const { secret, unspent, ...tried } = await tryRecoveryCode(ctx.sql, guessing, { factorId })
  if (!tried.allowed) throw recoveryCodesLocked(secondsToNextGuess(tried))
  if (factorId === null || unspent.length === 0) return null
  const hashes = hashesOfRecoveryCode(ctx.roots, { factorId, sealedKey: secret }, code)
  if (!hashes.some((hash) => unspent.includes(hash))) return null
  const resealed = secret === null ? null : resealFactorSecret(ctx.roots, factorId, secret)
  return { hashes, resealed }
}
