import { networksOf } from '../platform/kit/client-networks.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { type SendLimits, sharesOf, unlimited } from './send-limits.ts'

/**
 * Codes that a user may try over all challenges at once, and then per hour; also for recovery
 * codes.
 */
const factorGuesses = { count: 30, perSeconds: 3600 }

/**
 * The guesses of one client, and of the /48 or /24 around it. The rest is reserved for the user,
 * whom an attacker with the password could lock out otherwise.
 */
const guessesOfOne = { ...factorGuesses, count: 20 }
const guessesOfNetwork = 25

/**
 * The limits of one guess at a code.
 *
 * @param client the key that limits per client are counted under; null where clients cannot be
 *   distinguished.
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

/** Returns how long a client without a guess left waits for the next one. */
export function secondsToNextGuess({ within_share }: { within_share: boolean }): number {
  const { count, perSeconds } = within_share ? factorGuesses : guessesOfOne
  return perSeconds / count
}

/** The keys under which the guesses of a client and its networks are counted. */
export const guessShareKeys = (key: string, client: string): string[] =>
  networksOf(client).map((network) => guessShareKey(key, network.key))

const guessShareKey = (key: string, client: string): string =>
  sha256Hex(JSON.stringify(['guess-share', key, client]))

/** The key that attempts at the codes of a user's factors are counted under. */
export const factorCodeKey = (userId: string): string => sha256Hex(`factor-code:${userId}`)

/** The key that attempts at a user's recovery codes are counted under. */
export const recoveryCodeKey = (userId: string): string => sha256Hex(`recovery-code:${userId}`)
