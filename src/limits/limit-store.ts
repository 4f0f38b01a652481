import type { RequestLimit } from './request-limit.ts'

/** Whether a request may proceed; if not, after how many seconds another one may. */
export type TakenTokens = { allowed: true } | { allowed: false; retryAfterSeconds: number }

/** A limit, and the key that requests are counted under. */
export interface CountedLimit {
  key: string
  limit: RequestLimit
}

/** Where limits are counted. */
export interface LimitStore {
  /**
   * Takes one request from each of several limits, or from none of them. A rejected request costs nothing, so
   * one network cannot use up the limit of the network around it by requests that are rejected.
   *
   * Stores no more of a key than its SHA-256.
   *
   * @param counted the widest network first: requests of one network lock in one order.
   */
  take(counted: readonly CountedLimit[]): Promise<TakenTokens>
}

/** The seconds until a bucket contains a token. */
export const secondsUntilNext = ({ refillPerSecond }: RequestLimit, tokens = 0): number =>
  refillPerSecond > 0 ? Math.max(1, Math.ceil((1 - tokens) / refillPerSecond)) : 3600
