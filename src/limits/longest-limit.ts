import { type LimitName, type LimitSettings, limitNames, requestLimit } from './request-limit.ts'
import type { SendSettings } from './send-limits.ts'

interface Settings extends SendSettings {
  rateLimits: SendSettings['rateLimits'] & LimitSettings
  mfa: { phone: { maxFrequencySeconds: number } }
}

/** The period in which guesses at passwords, at codes of an address and of factors are counted. */
const guessSeconds = 3_600

/**
 * Returns the longest time in which any limit is full again. A bucket that was not touched for as
 * long equals a new one.
 */
export const longestLimitSeconds = ({ email, sms, mfa, rateLimits }: Settings): number =>
  Math.max(
    guessSeconds,
    // The default is 15 minutes at most.
    ...[email, sms, mfa.phone].map(({ maxFrequencySeconds }) => maxFrequencySeconds ?? 0),
    ...[rateLimits.emailSent, rateLimits.smsSent].map((rate) => rate?.perSeconds ?? 0),
    ...limitNames.map((name) => secondsUntilFull(rateLimits, name)),
  )

function secondsUntilFull(settings: LimitSettings, name: LimitName): number {
  const limit = requestLimit(settings, name)
  // A limit that never refills allows 30 requests once. Its bucket is deleted after a day, so that
  // another 30 are allowed then.
  if (limit?.refillPerSecond === 0) return 24 * 3_600
  return limit ? limit.burst / limit.refillPerSecond : 0
}
