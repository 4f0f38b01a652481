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
import { openFactorSecret } from '../../factors/factor-secret.ts'
import { isPhoneCode } from '../../factors/phone-code.ts'
import { findTotpStep } from '../../factors/totp.ts'
import { factorCodeKey, factorGuesses } from '../../limits/factor-limits.ts'
import { overRequestRateLimit } from '../../limits/limit-errors.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { carrierCheck } from '../../steps/carrier-check.ts'
import { countGuess } from '../../steps/count-guess.ts'
import type { Factor } from '../../users/user.ts'
import { phoneOf } from './own-factor.ts'

export interface CodeAttempt {
  userId: string
  factor: Factor
  challengeId: string
  code: string
}

/** Whether a code was right; the step of an app's code is to be used up with it. */
export type CheckedCode = { isRight: false } | { isRight: true; step: number | null }

/**
 * Compares a code, once the attempt is counted.
 *
 * @throws AuthError `mfa_factor_not_found`, `mfa_challenge_expired`, `mfa_ip_address_mismatch`,
 *   `mfa_verification_failed` for a challenge that is spent (422), `over_request_rate_limit` (429),
 *   `service_unavailable` (503).
 */
export async function checkFactorCode(
  ctx: AuthContext,
  attempt: CodeAttempt,
): Promise<CheckedCode> {
  const counted = await count(ctx, attempt)
  const { factor } = attempt
  const code = attempt.code.trim()
  const phone = phoneOf(factor)
  if (phone !== null) {
    const isRight = await isCodeOfPhone(ctx, phone, counted, code)
    return isRight ? { isRight, step: null } : { isRight }
  }
  const { secret, last_used_step: lastUsedStep } = counted
  if (secret === null) return { isRight: false }
  const opened = openFactorSecret(ctx.roots, factor.id, secret)
  const step = await findTotpStep(opened, code, { now: ctx.clock.now(), lastUsedStep })
  return step === null ? { isRight: false } : { isRight: true, step }
}

async function count(ctx: AuthContext, attempt: CodeAttempt): Promise<CountedAttempt> {
  const { userId, factor, challengeId } = attempt
  const now = ctx.clock.now()
  const key = factorCodeKey(userId)
  if (!(await countGuess(ctx, 'code', key))) throw overRequestRateLimit(waitSeconds)
  const budget = { key, rate: factorGuesses, reserved: 0, share: null }
  const spending = spendLimits({ interval: null, budget }, now)
  const counted = await countChallengeAttempt(ctx.sql, spending, {
    userId,
    challengeId,
    factorId: factor.id,
    ip: ctx.request.ip,
    now,
  })
  if (!counted) throw challengeNotFound()
  // As for a wrong code: whether it was right once is nobody's business.
  if (counted.is_spent) throw verificationFailed(factor.factorType)
  if (counted.is_from_elsewhere) throw addressMismatch()
  if (counted.is_expired) throw challengeExpired()
  if (!counted.allowed) throw overRequestRateLimit(waitSeconds)
  if (!counted.counted) throw verificationFailed(factor.factorType)
  return counted
}

const waitSeconds = factorGuesses.perSeconds / factorGuesses.count

async function isCodeOfPhone(
  ctx: AuthContext,
  phone: string,
  { challenge }: CountedAttempt,
  code: string,
): Promise<boolean> {
  const check = carrierCheck(ctx)
  const isRight = check
    ? await check(phone, code)
    : isPhoneCode(ctx.roots, { ...challenge, phone }, code)
  if (isRight) ctx.smsTraffic.noteVerified(phone)
  return isRight
}
