import type { Clock } from '../kit/clock.ts'
import { sha256Hex } from '../kit/digest.ts'
import { type LimitStore, secondsUntilNext } from './limit-store.ts'

interface Bucket {
  tokens: number
  at: number
}

/** Keys beyond this many push out the one that was asked for longest ago. */
const maxKeys = 100_000

/**
 * Counts in this process alone. Several instances each allow the whole limit; where that matters,
 * count in the database or in Redis.
 */
export function memoryLimitStore(clock: Clock): LimitStore {
  // A Map remembers the order of insertion, so its first key is the one that rested longest.
  const buckets = new Map<string, Bucket>()
  return {
    take: async (name, limit) => {
      const key = sha256Hex(name)
      const now = clock.now().getTime()
      const bucket = buckets.get(key) ?? { tokens: limit.burst, at: now }
      const elapsedSeconds = Math.max(0, now - bucket.at) / 1000
      const tokens = Math.min(limit.burst, bucket.tokens + elapsedSeconds * limit.refillPerSecond)
      const allowed = tokens >= 1
      buckets.delete(key)
      buckets.set(key, { tokens: allowed ? tokens - 1 : tokens, at: now })
      if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? '')
      return allowed ? { allowed } : { allowed, retryAfterSeconds: secondsUntilNext(limit, tokens) }
    },
  }
}
