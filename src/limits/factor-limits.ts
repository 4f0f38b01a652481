import { networksOf } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { type SendLimits, sharesOf, unlimited } from './send-limits.ts'

/** Codes that one user may try over all challenges at once, and how many more in an hour; so for recovery codes. */
const factorGuesses = { count: 30, perSeconds: 3600 }

/**
 * How many of them one client may try, and the /48 or /24 around it: the others are left to the user, who would be
 * locked out by an attacker with the password.
 */
const guessesOfOne = { ...factorGuesses, count: 20 }
const guessesOfNetwork = 25

/**
 * What a guess at a code takes.
 *
 * @param client what limits per client are counted under; null where clients cannot be told apart.
 */
export const guessLimits = (key: string, client: string | null): SendLimits => {
  const division = {
    ofOne: guessesOfOne.count,
    ofNetwork: guessesOfNetwork,
    perSeconds: guessesOfOne.perSeconds,
    keyOf: (network: string) => guessShareKey(key, network),
  }
  const shares = client === null ? [] : sharesOf(client, division)
  const budget = { key, rate: factorGuesses, reserved: 0, forNewClients: 0, shares }
  return { ...unlimited, budget }
}

/** How long who has no guess left waits for the next. */
export function secondsToNextGuess({ within_share }: { within_share: boolean }): number {
  const { count, perSeconds } = within_share ? factorGuesses : guessesOfOne
  return perSeconds / count
}

/** The keys under which the guesses of a client and its networks are counted. */
export const guessShareKeys = (key: string, client: string): string[] =>
  networksOf(client).map((network) => guessShareKey(key, network.key))

const guessShareKey = (key: string, client: string): string =>
  sha256Hex(JSON.stringify(['guess-share', key, client]))

/** Under what the codes are counted that somebody tries for a user's factors. */
export const factorCodeKey = (userId: string): string => sha256Hex(`factor-code:${userId}`)

/** Under what the interval between codes for a user's phones is counted. */
export const factorIntervalKey = (userId: string): string => sha256Hex(`send:mfa:${userId}`)

/** Under what the recovery codes are counted that somebody tries for a user. */
export const recoveryCodeKey = (userId: string): string => sha256Hex(`recovery-code:${userId}`)
