import { type LimitName, type LimitSettings, limitNames, requestLimit } from './request-limit.ts'
import type { SendSettings } from './send-limits.ts'

interface Settings extends SendSettings {
  rateLimits: SendSettings['rateLimits'] & LimitSettings
  mfa: { phone: { maxFrequencySeconds: number } }
}

/** Guesses at passwords, codes of an address and of factors are counted by the hour. */
const guessSeconds = 3_600

/** The longest that any limit takes to be full again: what was last touched before says nothing any more. */
export const longestLimitSeconds = ({ email, sms, mfa, rateLimits }: Settings): number =>
  Math.max(
    guessSeconds,
    // Where it is not set, 15 minutes at most.
    ...[email, sms, mfa.phone].map(({ maxFrequencySeconds }) => maxFrequencySeconds ?? 0),
    ...[rateLimits.emailSent, rateLimits.smsSent].map((rate) => rate?.perSeconds ?? 0),
    ...limitNames.map((name) => secondsUntilFull(rateLimits, name)),
  )

function secondsUntilFull(settings: LimitSettings, name: LimitName): number {
  const limit = requestLimit(settings, name)
  // What never fills again allows 30 once; whoever comes back after a day gets another 30.
  if (limit?.refillPerSecond === 0) return 24 * 3_600
  return limit ? limit.burst / limit.refillPerSecond : 0
}
