import { sha256Hex } from '../kit/digest.ts'
import type { SendLimits } from './send-limits.ts'

/** Codes that one user may try over all challenges at once, and how many more in an hour; so for recovery codes. */
const factorGuesses = { count: 30, perSeconds: 3600 }

/** How many of them one client may try: the others are left to the user, whom somebody with the password would lock out. */
const guessesOfOne = { ...factorGuesses, count: 20 }

/**
 * What a guess at a code takes.
 *
 * @param client what limits per client are counted under; null where clients cannot be told apart.
 */
export const guessLimits = (key: string, client: string | null): SendLimits => {
  const share = client === null ? null : { key: guessShareKey(key, client), rate: guessesOfOne }
  return { interval: null, budget: { key, rate: factorGuesses, reserved: 0, share } }
}

/** How long who has no guess left waits for the next. */
export function secondsToNextGuess({ within_share }: { within_share: boolean }): number {
  const { count, perSeconds } = within_share ? factorGuesses : guessesOfOne
  return perSeconds / count
}

/** Under what the guesses of one client are counted. */
export const guessShareKey = (key: string, client: string): string =>
  sha256Hex(JSON.stringify(['guess-share', key, client]))

/** Under what the codes are counted that somebody tries for a user's factors. */
export const factorCodeKey = (userId: string): string => sha256Hex(`factor-code:${userId}`)

/** Under what the interval between codes for a user's phones is counted. */
export const factorIntervalKey = (userId: string): string => sha256Hex(`send:mfa:${userId}`)

/** Under what the recovery codes are counted that somebody tries for a user. */
export const recoveryCodeKey = (userId: string): string => sha256Hex(`recovery-code:${userId}`)
