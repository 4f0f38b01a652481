import { factorNotice } from '../../accounts/acts/change-notices.ts'
import { event } from '../../accounts/acts/event-rows.ts'
import { type Act, performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { factorProof, hasRecentProof } from '../../accounts/callers/recent-proof.ts'
import { requireMayChangeSignIn } from '../../accounts/callers/recent-sign-in.ts'
import { withLockedCaller } from '../../accounts/callers/with-locked-user.ts'
import {
  type CountedAttempt,
  countChallengeAttempt,
} from '../../accounts/factors/challenges.sql.ts'
import {
  addressMismatch,
  challengeExpired,
  challengeNotFound,
  factorNotFound,
  verificationFailed,
} from '../../accounts/factors/factor-errors.ts'
import { type FactorChange, passChallenge } from '../../accounts/lifecycle/pass-challenge.sql.ts'
import { credentialExists } from '../../accounts/passkeys/passkey-errors.ts'
import { factorMethods, proofBy } from '../../accounts/sessions/assurance.ts'
import type { SessionRow } from '../../accounts/sessions/session.ts'
import { type IssuedSession, issueRaisedSession } from '../../accounts/sign-in/issue-session.ts'
import type { Factor, User } from '../../accounts/users/user.ts'
import { countGuess } from '../../limits/count-guess.ts'
import { factorCodeKey, guessLimits, secondsToNextGuess } from '../../limits/factor-limits.ts'
import { overRequestRateLimit } from '../../limits/limit-errors.ts'
import { unlimited } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import { retryRolledBack } from '../../platform/sql/retry.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import type { AuthenticatorOutput, VerifiedOutput } from './factor-kinds/factor-kind.ts'
import { factorKind } from './factor-kinds/factor-kinds.ts'
import { requireOwnFactor, requireSessionId, requireVerifiable } from './own-factor.ts'
import { requestAttemptDecision } from './request-attempt-decision.ts'
import type { VerifyFactorInput } from './second-factor.endpoint.ts'

/**
 * Verifies a second factor: the session rises to `aal2` and receives new tokens, and its earlier
 * refresh tokens are no longer accepted. The first verification completes the enrollment.
 *
 * A code is accepted once. A challenge accepts 5 codes, or one signature. Weaker sessions of the
 * user end.
 *
 * @throws AuthError `session_not_found`, `session_expired`, `no_authorization`,
 *   `mfa_verification_rejected`, `insufficient_aal`, `reauthentication_needed` (403),
 *   `validation_failed` (400, or 404 for a malformed id), `mfa_factor_not_found` (404, or 422 for
 *   an unknown challenge), `mfa_…_verify_not_enabled`, `mfa_challenge_expired`,
 *   `mfa_ip_address_mismatch`, `mfa_verification_failed`, `webauthn_credential_exists` for a
 *   security key that is enrolled already (422), `over_request_rate_limit` (429), and the errors of
 *   the kind.
 */
export async function verifyFactor(
  ctx: AuthContext,
  caller: Caller,
  factorId: string,
  { challengeId, ...given }: Omit<Unvalidated<VerifyFactorInput>, 'factorId'>,
): Promise<IssuedSession> {
  const factor = requireOwnFactor(caller, factorId)
  const sessionId = requireSessionId(caller)
  const { user } = caller
  // Recovery codes have no challenge.
  const { factorType } = factor
  if (factorType === 'recovery_code') throw factorNotFound()
  const kind = factorKind(factorType)
  const output = kind.readOutput(factor, given)
  if (!challengeId) throw validationFailed('challenge_id: a challenge is required')
  requireVerifiable(ctx, caller, factor)
  if (factor.status === 'unverified') requireMayChangeSignIn(ctx, caller)

  const attempt = { userId: user.id, sessionId, factor, challengeId, output }
  const counted = await countAttempt(ctx, attempt)
  const verified = await kind.verify(ctx, { user, factor, output, counted })
  const used = verified ? { ...factor, id: verified.factorId } : factor
  await requestAttemptDecision(ctx, user, used, verified !== null)
  if (!verified) throw verificationFailed(factorType)

  const accepted = { ...verified, sessionId, challengeId, challengedFactorId: factor.id }
  const pass = () =>
    withLockedCaller(ctx, caller, async (tx, current) => {
      // During the call of the hook or carrier, the user may have enrolled a factor that this one must not bypass.
      const currentFactor = requireOwnFactor(current, factorId)
      requireVerifiable(tx, current, currentFactor)
      // The code was sent to an address that is no longer the factor's.
      const hasNewRecipient =
        kind.recipientOf?.(current.user, currentFactor) !== kind.recipientOf?.(user, factor)
      if (hasNewRecipient) throw verificationFailed(factorType)
      const terms = passTermsOf(tx, current, factorType, accepted)
      const outcome = await performAct(
        tx,
        actOf(tx, current.user, used, accepted),
        (rows) => passChallenge<SessionRow>(tx.sql, { ...terms, ...rows }),
        ({ session }) => session !== null,
      )
      return { ...outcome, current: current.user }
    })
  // Two users may enroll one security key at once: the second is rejected.
  const { session: row, isEnrolled, current } = await retryRolledBack(pass)
  if (isEnrolled) throw credentialExists()
  // A concurrent request consumed the challenge or the code, or counted further.
  if (!row) throw verificationFailed(factorType)
  const account = withVerifiedFactor(current, used, accepted.change, ctx.clock.now())
  return issueRaisedSession(ctx, account, row, factorMethods[factorType])
}

/** Returns the terms on which the statement accepts the verified output. */
function passTermsOf(
  ctx: AuthContext,
  caller: Caller,
  factorType: FactorType,
  accepted: VerifiedOutput & { sessionId: string; challengeId: string; challengedFactorId: string },
) {
  const { user, session } = caller
  const now = ctx.clock.now()
  const method = factorMethods[factorType]
  const addedWithoutProofAt = addedWithoutProof(ctx, caller, accepted.factorId)
  return {
    ...accepted,
    userId: user.id,
    now,
    addedWithoutProofAt,
    proof: session
      ? factorProof(ctx, session, { addedWithoutProofAt }, method)
      : proofBy(method, now),
  }
}

/**
 * Returns the time at which a factor was added without a recent proof; null if there was one. A
 * factor is added when it is proved for the first time.
 */
function addedWithoutProof(ctx: AuthContext, caller: Caller, factorId: string): Date | null {
  const known = caller.user.factors.find(({ id }) => id === factorId)
  if (known?.status === 'verified') return known.addedWithoutProofAt
  return hasRecentProof(ctx, caller) ? null : ctx.clock.now()
}

function actOf(
  ctx: AuthContext,
  user: User,
  { id: factorId, factorType, status }: Factor,
  { challengeId, challengedFactorId }: { challengeId: string; challengedFactorId: string },
): Act {
  const traits = { factor_id: factorId, challenge_id: challengeId, factor_type: factorType }
  const verified = event('factor.verified', {
    factor_id: challengedFactorId,
    factor_type: factorType,
  })
  const audit = { action: 'verification_attempted', actorId: user.id, traits } as const
  // Only the first proof changes the account.
  if (status === 'verified') return { audit }
  return {
    audit,
    events: { userId: user.id, events: [verified] },
    notices: factorNotice(ctx, 'mfaFactorEnrolled', user, factorType),
  }
}

/** Returns the account after the proof. Other unverified factors of the type are removed. */
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

/** A submitted authenticator output. */
interface Attempt {
  userId: string
  sessionId: string
  factor: Factor
  challengeId: string
  output: AuthenticatorOutput
}

/**
 * Counts an attempt against the challenge and the user, before anything is compared. A signature
 * cannot be guessed: it counts against its challenge only, so an attacker who uses up the attempts
 * at codes does not lock out a security key.
 *
 * @throws AuthError `mfa_factor_not_found`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`,
 *   `mfa_verification_failed` for a challenge that is spent (422), `over_request_rate_limit` (429),
 *   `service_unavailable` (503).
 */
async function countAttempt(
  ctx: AuthContext,
  { userId, sessionId, factor, challengeId, output }: Attempt,
): Promise<CountedAttempt> {
  const now = ctx.clock.now()
  const isGuess = output.credentialId === null
  const key = factorCodeKey(userId)
  if (isGuess && !(await countGuess(ctx, 'code', key))) throw tooMany(ctx, { within_share: true })
  const limits = isGuess ? guessLimits(key, ctx.request.clientKey()) : unlimited
  const spending = spendLimits(ctx, limits)
  const counted = await countChallengeAttempt(ctx.sql, spending, {
    userId,
    sessionId,
    challengeId,
    factorId: factor.id,
    credentialId: output.credentialId,
    ip: ctx.request.ip,
    now,
  })
  if (!counted) throw challengeNotFound()
  // The same response as for a wrong output: it does not reveal whether the output was correct before.
  if (counted.is_spent) throw verificationFailed(factor.factorType)
  if (counted.is_from_elsewhere) throw addressMismatch()
  if (counted.is_expired) throw challengeExpired()
  if (!counted.allowed) throw tooMany(ctx, counted)
  if (!counted.counted) throw verificationFailed(factor.factorType)
  return counted
}

function tooMany({ request }: AuthContext, spent: Parameters<typeof secondsToNextGuess>[0]): Error {
  request.decided({ kind: 'limit', rule: 'factor_attempts' })
  return overRequestRateLimit(secondsToNextGuess(spent))
}
