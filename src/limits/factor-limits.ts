import { sha256Hex } from '../kit/digest.ts'

/** Under what the codes are counted that somebody tries for a user's factors. */
export const factorCodeKey = (userId: string): string => sha256Hex(`factor-code:${userId}`)

/** Under what the interval between codes for a user's phones is counted. */
export const factorIntervalKey = (userId: string): string => sha256Hex(`send:mfa:${userId}`)
