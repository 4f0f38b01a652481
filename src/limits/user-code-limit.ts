import { sha256Hex } from '../platform/kit/digest.ts'
import type { RequestLimit } from './request-limit.ts'

/** The codes of devices that a user may enter at once, and then per hour. @see RFC 8628 §5.1 */
export const userCodeLimit: RequestLimit = { burst: 30, refillPerSecond: 30 / 3600 }

/** The key that the codes of devices that a user enters are counted under. */
export const userCodeKey = (userId: string): string => sha256Hex(`oauth-user-code:${userId}`)
