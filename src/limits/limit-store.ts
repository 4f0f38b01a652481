import { sha256Hex } from '../platform/kit/digest.ts'
import type { RequestLimit } from './request-limit.ts'

/** The decision on a request; if it is rejected, the seconds until another one is allowed. */
export type TakenTokens = { allowed: true } | { allowed: false; retryAfterSeconds: number }

/** A limit, and the key that requests are counted under. */
export interface CountedLimit {
  key: string
  limit: RequestLimit
}

/** A store of the counts of limits. */
export interface LimitStore {
  /**
   * Takes one request from each of several limits, or from none of them. A rejected request takes
   * nothing, so one network cannot use up the limit of the network around it with rejected
   * requests.
   *
   * Stores keys as SHA-256 only.
   *
   * @param counted the widest network first: requests of one network lock in one order.
   */
  take(counted: readonly CountedLimit[]): Promise<TakenTokens>
}

/** A store that may have a connection of its own. */
export interface OpenLimitStore extends LimitStore {
  close(): Promise<void>
}

/** Returns the decision in the form of {@link LimitStore.take}. */
export const takenIn = (waitSeconds: number | null): TakenTokens =>
  waitSeconds === null ? { allowed: true } : { allowed: false, retryAfterSeconds: waitSeconds }

/** Returns the same limits under the SHA-256 of their keys. */
export const withHashedKeys = (counted: readonly CountedLimit[]): CountedLimit[] =>
  counted.map(({ key, limit }) => ({ key: sha256Hex(key), limit }))

/** The seconds until a bucket contains a token. */
export const secondsUntilNext = ({ refillPerSecond }: RequestLimit, tokens = 0): number =>
  refillPerSecond > 0 ? Math.max(1, Math.ceil((1 - tokens) / refillPerSecond)) : 3600
