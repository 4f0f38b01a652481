import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { verificationFailed } from '../../factors/factor-errors.ts'
import { passChallenge } from '../../factors/pass-challenge.sql.ts'
import type { Unread } from '../../http/endpoint.ts'
import { factorMethods, proofBy } from '../../sessions/assurance.ts'
import { type SessionRow, toSession } from '../../sessions/session.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { eventRows, happened } from '../../steps/event-rows.ts'
import { issueSession, type SignedIn } from '../../steps/issue-session.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { requireLiveSession } from '../../steps/require-live-session.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import type { Factor, User } from '../../users/user.ts'
import { askAboutAttempt } from './ask-about-attempt.ts'
import { checkFactorCode } from './check-factor-code.ts'
import { requireOwnFactor, requireProvable, requireSessionId } from './own-factor.ts'
import type { VerifyFactorInput } from './second-factor.endpoint.ts'

/**
 * Proves a second factor: the session rises to `aal2` and gets new tokens, and those from before renew
 * nothing any more. At the first time the factor becomes a verified one.
 *
 * A code is good once, and a challenge takes 5. Weaker sessions of the user end.
 *
 * @throws AuthError `session_not_found`, `session_expired`, `no_authorization`,
 *   `mfa_verification_rejected`, `insufficient_aal` (403),
 *   `validation_failed` (400, or 404 for a malformed id), `mfa_factor_not_found` (404, or 422 for an
 *   unknown challenge), `mfa_totp_verify_not_enabled`, `mfa_phone_verify_not_enabled`,
 *   `mfa_webauthn_verify_not_enabled`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`,
 *   `mfa_verification_failed` (422), `over_request_rate_limit` (429).
 */
export async function verifyFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
  { challengeId, code }: Omit<Unread<VerifyFactorInput>, 'factorId'>,
): Promise<SignedIn> {
  const factor = requireOwnFactor(caller, factorId)
  const sessionId = requireSessionId(caller)
  requireLiveSession(ctx, caller)
  if (!code) throw validationFailed('code: Code needs to be non-empty')
  if (!challengeId) throw validationFailed('challenge_id: a challenge is required')
  requireProvable(ctx.config, caller, factor)

  const { user } = caller
  const checked = await checkFactorCode(ctx, { userId: user.id, factor, challengeId, code })
  await askAboutAttempt(ctx, user, factor, checked.isRight)
  if (!checked.isRight) throw verificationFailed(factor.factorType)

  const { step } = checked
  const passed = { sessionId, challengeId, step }
  const note = noteOf(ctx, user, factor, challengeId)
  const { row, current } = await withLockedUser(ctx, user.id, async (tx) => {
    // While the hook or the carrier was asked, the user may have got a factor that this one must not get past.
    const current = await requireCaller(tx, caller.claims)
    requireProvable(tx.config, current, requireOwnFactor(current, factorId))
    const effects = effectsOf(tx, current.user, factor, passed)
    const row = await passChallenge<SessionRow>(tx.sql, { ...effects, auditRows: note.rows })
    return { row, current: current.user }
  })
  // Somebody else was faster with challenge or code.
  if (!row) throw verificationFailed(factor.factorType)
  note.log()
  if (factor.status === 'unverified') ctx.outbox.wake()
  const verified = withVerifiedFactor(current, factor, ctx.clock.now())
  return issueSession(ctx, verified, toSession(row), {
    method: factorMethods[factor.factorType],
    refreshCounter: row.refresh_token_counter,
  })
}

function effectsOf(
  ctx: AuthContext,
  user: User,
  { id: factorId, factorType }: Factor,
  passed: { sessionId: string; challengeId: string; step: number | null },
) {
  const now = ctx.clock.now()
  const notices = factorNotice(ctx, 'mfaFactorEnrolled', user, factorType)
  const verified = happened('factor.verified', { factor_id: factorId, factor_type: factorType })
  const news = eventRows(ctx, user.id, [verified])
  return {
    ...passed,
    userId: user.id,
    factorId,
    now,
    proof: proofBy(factorMethods[factorType], now),
    messageRows: joinRows(rowsOf('outbox_messages', ...outboxRows(ctx, notices)), news),
  }
}

const noteOf = (
  ctx: AuthContext,
  { id: actorId }: User,
  { id: factorId, factorType }: Factor,
  challengeId: string,
) =>
  auditNote(ctx, {
    action: 'verification_attempted',
    actorId,
    traits: { factor_id: factorId, challenge_id: challengeId, factor_type: factorType },
  })

/** The account as the proof leaves it: others of the type that were begun and not verified are gone. */
const withVerifiedFactor = (user: User, proved: Factor, now: Date): User => ({
  ...user,
  factors: user.factors
    .filter((one) => one.id === proved.id || !isAbandoned(one, proved))
    .map((one) =>
      one.id === proved.id && one.status === 'unverified'
        ? { ...one, status: 'verified', updatedAt: now }
        : one,
    ),
})

const isAbandoned = ({ status, factorType }: Factor, proved: Factor): boolean =>
  status === 'unverified' && factorType === proved.factorType
