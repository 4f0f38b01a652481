import type { AuthContext } from '../../deps.ts'
import type { CountedAttempt } from '../../factors/count-challenge-attempt.sql.ts'
import { openFactorSecret } from '../../factors/factor-secret.ts'
import { isPhoneCode } from '../../factors/phone-code.ts'
import { findTotpStep } from '../../factors/totp.ts'
import { carrierCheck } from '../../steps/carrier-check.ts'
import { checkAssertion, checkRegistration } from './check-signature.ts'
import { type Attempt, countAttempt } from './count-attempt.ts'
import { phoneOf } from './own-factor.ts'
import type { RightProof } from './read-proof.ts'

/**
 * Checks a proof, once the attempt is counted.
 *
 * @returns null for a wrong one.
 * @throws AuthError as {@link countAttempt}.
 */
export async function checkProof(ctx: AuthContext, attempt: Attempt): Promise<RightProof | null> {
  const counted = await countAttempt(ctx, attempt)
  const { proof } = attempt
  if (proof.by === 'registration') {
    return checkRegistration(ctx, attempt.factor, counted, proof.response)
  }
  if (proof.by === 'assertion') {
    return checkAssertion(ctx, attempt.userId, counted, proof.response)
  }
  return checkCode(ctx, attempt, counted, proof.code.trim())
}

async function checkCode(
  ctx: AuthContext,
  { factor }: Attempt,
  counted: CountedAttempt,
  code: string,
): Promise<RightProof | null> {
  const phone = phoneOf(factor)
  if (phone !== null) {
    const isRight = await isCodeOfPhone(ctx, phone, counted, code)
    return isRight ? { factorId: factor.id, change: null } : null
  }
  const { secret, last_used_step: lastUsedStep } = counted
  if (secret === null) return null
  const opened = openFactorSecret(ctx.roots, factor.id, secret)
  const step = await findTotpStep(opened, code, { now: ctx.clock.now(), lastUsedStep })
  return step === null ? null : { factorId: factor.id, change: { last_used_step: step } }
}

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
