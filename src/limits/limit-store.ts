import type { RequestLimit } from './request-limit.ts'

/** Whether a request may go on; if not, after how many seconds another one may. */
export type TakenTokens = { allowed: true } | { allowed: false; retryAfterSeconds: number }

/** Where limits are counted. */
export interface LimitStore {
  /** Takes one request from the allowance of `key`, of which no more than its SHA-256 is kept. */
  take(key: string, limit: RequestLimit): Promise<TakenTokens>
}

/** How long until the next one is there. */
export const secondsUntilNext = ({ refillPerSecond }: RequestLimit, tokens = 0): number =>
  refillPerSecond > 0 ? Math.max(1, Math.ceil((1 - tokens) / refillPerSecond)) : 3600
