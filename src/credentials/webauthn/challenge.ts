import { isSameSecret, sha256Hex } from '../../platform/kit/digest.ts'
import type { Random } from '../../platform/kit/random.ts'

const challengeBytes = 32

/** What an authenticator is to sign, in base64url. */
export const newChallenge = (random: Random): string =>
  Buffer.from(random.hex(challengeBytes), 'hex').toString('base64url')

/** What is stored of a challenge. */
export const hashChallenge = (challenge: string): string => sha256Hex(challenge)

/** Whether what was signed is the challenge of which this is the hash. */
export const isChallenge = (signed: string, challengeHash: string): boolean =>
  isSameSecret(hashChallenge(signed), challengeHash)
