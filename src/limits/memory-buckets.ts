import { type CountedLimit, secondsUntilNext } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

/** Buckets of tokens that fill continuously, in memory. */
export interface MemoryBuckets {
  /**
   * Takes one token from each of several buckets, or from none of them.
   *
   * @param nowMs the time in milliseconds, of any clock.
   * @returns null where each had a token, otherwise the seconds until the emptiest has one.
   */
  take(counted: readonly CountedLimit[], nowMs: number): number | null
}

interface Bucket {
  tokens: number
  at: number
}

/** Keys beyond this many push out the one that was used least recently. */
const maxKeys = 100_000

export function createMemoryBuckets(): MemoryBuckets {
  // A Map keeps the order of insertion, so its first key is the one that was used least recently.
  const buckets = new Map<string, Bucket>()
  const tokensOf = (key: string, { burst, refillPerSecond }: RequestLimit, now: number): number => {
    const { tokens, at } = buckets.get(key) ?? { tokens: burst, at: now }
    return Math.min(burst, tokens + (Math.max(0, now - at) / 1000) * refillPerSecond)
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
        tokens: tokensOf(key, limit, now),
      }))
      const waits = levels.flatMap(({ limit, tokens }) =>
        tokens < 1 ? [secondsUntilNext(limit, tokens)] : [],
      )
      const isTaken = waits.length === 0
      for (const { key, tokens } of levels) {
        // A rejected request stores no new key: a flood from many networks must not push out those of others.
        if (isTaken || buckets.has(key))
          store(key, { tokens: isTaken ? tokens - 1 : tokens, at: now })
      }
      return isTaken ? null : Math.max(...waits)
    },
  }
}
