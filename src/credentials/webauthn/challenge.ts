import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import type { Random } from '../../platform/kit/random.ts'

const challengeBytes = 32

/** Returns a new challenge for an authenticator to sign, in base64url. */
export const newChallenge = (random: Random): string =>
  Buffer.from(random.hex(challengeBytes), 'hex').toString('base64url')

/** Returns the hash that is stored of a challenge. */
export const hashChallenge = (challenge: string): string => sha256Hex(challenge)

/** Returns whether the signed value is the challenge with this hash. */
export const isChallenge = (signed: string, challengeHash: string): boolean =>
  isSameSecret(hashChallenge(signed), challengeHash)
