import { sha256Hex } from '../kit/digest.ts'

/** Codes that one user may try over all challenges at once, and how many more in an hour; so for recovery codes. */
export const factorGuesses = { count: 30, perSeconds: 3600 }

/** Under what the codes are counted that somebody tries for a user's factors. */
export const factorCodeKey = (userId: string): string => sha256Hex(`factor-code:${userId}`)

/** Under what the interval between codes for a user's phones is counted. */
export const factorIntervalKey = (userId: string): string => sha256Hex(`send:mfa:${userId}`)

/** Under what the recovery codes are counted that somebody tries for a user. */
export const recoveryCodeKey = (userId: string): string => sha256Hex(`recovery-code:${userId}`)
