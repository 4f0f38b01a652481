import type { AuthContext } from '../../deps.ts'
import {
  type CountedAttempt,
  countChallengeAttempt,
} from '../../factors/count-challenge-attempt.sql.ts'
import {
  addressMismatch,
  challengeExpired,
  challengeNotFound,
  verificationFailed,
} from '../../factors/factor-errors.ts'
import { factorCodeKey, guessLimits, secondsToNextGuess } from '../../limits/factor-limits.ts'
import { overRequestRateLimit } from '../../limits/limit-errors.ts'
import { unlimited } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { countGuess } from '../../steps/count-guess.ts'
import type { Factor } from '../../users/user.ts'
import type { Proof } from './read-proof.ts'

/** An attempt to prove a factor. */
export interface Attempt {
  userId: string
  sessionId: string
  factor: Factor
  challengeId: string
  proof: Proof
}

/**
 * Counts an attempt against challenge and user, before anything is compared. Nobody guesses a signature: it counts against
 * its challenge alone, and whoever uses up the guesses at codes keeps nobody with a security key out.
 *
 * @throws AuthError `mfa_factor_not_found`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`,
 *   `mfa_verification_failed` for a challenge that is spent (422), `over_request_rate_limit` (429),
 *   `service_unavailable` (503).
 */
export async function countAttempt(
  ctx: AuthContext,
  { userId, sessionId, factor, challengeId, proof }: Attempt,
): Promise<CountedAttempt> {
  const now = ctx.clock.now()
  const isGuess = proof.by === 'code'
  const key = factorCodeKey(userId)
  if (isGuess && !(await countGuess(ctx, 'code', key))) throw tooMany(ctx, { within_share: true })
  const limits = isGuess ? guessLimits(key, ctx.request.clientKey()) : unlimited
  const spending = spendLimits(limits, now)
  const counted = await countChallengeAttempt(ctx.sql, spending, {
    userId,
    sessionId,
    challengeId,
    factorId: factor.id,
    credentialId: isGuess ? null : proof.response.id,
    ip: ctx.request.ip,
    now,
  })
  if (!counted) throw challengeNotFound()
  // As for a wrong proof: whether it was right once is nobody's business.
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
