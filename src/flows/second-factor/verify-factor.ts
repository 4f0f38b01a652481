import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { verificationFailed } from '../../factors/factor-errors.ts'
import { type FactorChange, passChallenge } from '../../factors/pass-challenge.sql.ts'
import type { Unread } from '../../http/endpoint.ts'
import { credentialExists } from '../../passkeys/passkey-errors.ts'
import { factorMethods, proofBy } from '../../sessions/assurance.ts'
import type { SessionRow } from '../../sessions/session.ts'
import { joinRows, rowsOf } from '../../sql/tables.ts'
import { type Caller, requireCaller } from '../../steps/authenticate-caller.ts'
import { factorNotice } from '../../steps/change-notices.ts'
import { eventRows, happened } from '../../steps/event-rows.ts'
import { issueRaisedSession, type SignedIn } from '../../steps/issue-session.ts'
import { outboxRows } from '../../steps/outbox-rows.ts'
import { requireLiveSession } from '../../steps/require-live-session.ts'
import { retryTransient } from '../../steps/retry-transient.ts'
import { withLockedUser } from '../../steps/with-locked-user.ts'
import type { Factor, FactorType, User } from '../../users/user.ts'
import { askAboutAttempt } from './ask-about-attempt.ts'
import { checkProof } from './check-proof.ts'
import { requireOwnFactor, requireProvable, requireSessionId } from './own-factor.ts'
import { type RightProof, readProof } from './read-proof.ts'
import type { VerifyFactorInput } from './second-factor.endpoint.ts'

/**
 * Proves a second factor: the session rises to `aal2` and gets new tokens, and those from before renew
 * nothing any more. At the first time the factor becomes a verified one.
 *
 * A code is good once, and a challenge takes 5; one to a security key takes one signature. Weaker sessions of the user end.
 *
 * @throws AuthError `session_not_found`, `session_expired`, `no_authorization`,
 *   `mfa_verification_rejected`, `insufficient_aal` (403),
 *   `validation_failed` (400, or 404 for a malformed id), `mfa_factor_not_found` (404, or 422 for an
 *   unknown challenge), `mfa_totp_verify_not_enabled`, `mfa_phone_verify_not_enabled`,
 *   `mfa_webauthn_verify_not_enabled`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`,
 *   `mfa_verification_failed`, `webauthn_credential_exists` for a security key that somebody has enrolled (422),
 *   `over_request_rate_limit` (429).
 */
export async function verifyFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
  { challengeId, ...given }: Omit<Unread<VerifyFactorInput>, 'factorId'>,
): Promise<SignedIn> {
  const factor = requireOwnFactor(caller, factorId)
  const sessionId = requireSessionId(caller)
  requireLiveSession(ctx, caller)
  const proof = readProof(factor, given)
  if (!challengeId) throw validationFailed('challenge_id: a challenge is required')
  requireProvable(ctx.config, caller, factor)

  const { user } = caller
  const right = await checkProof(ctx, { userId: user.id, sessionId, factor, challengeId, proof })
  const shown = right ? { ...factor, id: right.factorId } : factor
  await askAboutAttempt(ctx, user, shown, right !== null)
  if (!right) throw verificationFailed(factor.factorType)

  const passed = { ...right, sessionId, challengeId, challengedId: factor.id }
  const note = noteOf(ctx, user, shown, challengeId)
  const pass = () =>
    withLockedUser(ctx, user.id, async (tx) => {
      // While the hook or the carrier was asked, the user may have got a factor that this one must not get past.
      const current = await requireCaller(tx, caller.claims)
      requireProvable(tx.config, current, requireOwnFactor(current, factorId))
      const effects = effectsOf(tx, current.user, factor.factorType, passed)
      const outcome = await passChallenge<SessionRow>(tx.sql, { ...effects, auditRows: note.rows })
      return { ...outcome, current: current.user }
    })
  // Two users may enroll one security key at once; of them, the second gets to know of the first.
  const { session: row, isEnrolled, current } = await retryTransient(pass)
  if (isEnrolled) throw credentialExists()
  // Somebody else was faster with challenge, code or count.
  if (!row) throw verificationFailed(factor.factorType)
  note.log()
  if (factor.status === 'unverified') ctx.outbox.wake()
  const verified = withVerifiedFactor(current, shown, passed.change, ctx.clock.now())
  return issueRaisedSession(ctx, verified, row, factorMethods[factor.factorType])
}

function effectsOf(
  ctx: AuthContext,
  user: User,
  factorType: FactorType,
  passed: RightProof & { sessionId: string; challengeId: string; challengedId: string },
) {
  const now = ctx.clock.now()
  const notices = factorNotice(ctx, 'mfaFactorEnrolled', user, factorType)
  const verified = happened('factor.verified', {
    factor_id: passed.challengedId,
    factor_type: factorType,
  })
  const news = eventRows(ctx, user.id, [verified])
  return {
    ...passed,
    userId: user.id,
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
const withVerifiedFactor = (
  user: User,
  proved: Factor,
  change: FactorChange | null,
  now: Date,
): User => ({
  ...user,
  factors: user.factors
    .filter((one) => one.id === proved.id || !isAbandoned(one, proved))
    .map((one) =>
      one.id === proved.id && one.status === 'unverified'
        ? { ...one, status: 'verified', updatedAt: now, webAuthnAaguid: aaguidOf(change) }
        : one,
    ),
})

const aaguidOf = (change: FactorChange | null): string | null =>
  change && 'web_authn_aaguid' in change ? change.web_authn_aaguid : null

const isAbandoned = ({ status, factorType }: Factor, proved: Factor): boolean =>
  status === 'unverified' && factorType === proved.factorType
