import { clockSetBackMs } from '../platform/kit/clock.ts'
import { type CountedLimit, secondsUntilNext } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

/** Token buckets that refill continuously, in memory. */
export interface MemoryBuckets {
  /**
   * Takes one token from each of several buckets, or from none of them.
   *
   * @param nowMs milliseconds of any clock.
   * @returns null when each had a token, otherwise the seconds until all of them have one.
   */
  take(counted: readonly CountedLimit[], nowMs: number): number | null
}

interface Bucket {
  tokens: number
  /** It never moves backwards, except after the clock was set back. */
  at: number
}

/** The number of keys above which the least recently used one is deleted. */
const maxKeys = 100_000

export function createMemoryBuckets(): MemoryBuckets {
  // A Map keeps the order of insertion, so its first key is the least recently used one.
  const buckets = new Map<string, Bucket>()
  const refilled = (key: string, { burst, refillPerSecond }: RequestLimit, now: number): Bucket => {
    const stored = buckets.get(key)
    if (!stored || stored.at - now > clockSetBackMs) return { tokens: burst, at: now }
    const seconds = Math.max(0, now - stored.at) / 1000
    return {
      tokens: Math.min(burst, stored.tokens + seconds * refillPerSecond),
      at: Math.max(now, stored.at),
    }
  }
  const store = (key: string, bucket: Bucket): void => {
    buckets.delete(key)
    buckets.set(key, bucket)
    if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? '')
  }
  return {
    take: (counted, now) => {
      const levels = counted.map(({ key, limit }) => ({
        key,
        limit,
        ...refilled(key, limit, now),
      }))
      const waits = levels.flatMap(({ limit, tokens }) =>
        tokens < 1 ? [secondsUntilNext(limit, tokens)] : [],
      )
      const isTaken = waits.length === 0
      for (const { key, tokens, at } of levels) {
        // A rejected request stores no new key, so a flood from many networks cannot displace other
        // keys.
        if (isTaken || buckets.has(key)) store(key, { tokens: isTaken ? tokens - 1 : tokens, at })
      }
      return isTaken ? null : Math.max(...waits)
    },
  }
}
