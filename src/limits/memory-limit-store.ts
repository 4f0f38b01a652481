import type { Clock } from '../platform/kit/clock.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import type { LimitStore } from './limit-store.ts'
import { createMemoryBuckets } from './memory-buckets.ts'

/**
 * Counts in this process only. Several instances each allow the whole limit; where that matters,
 * count in the database or in Redis.
 */
export function memoryLimitStore(clock: Clock): LimitStore {
  const buckets = createMemoryBuckets()
  return {
    take: async (counted) => {
      const hashed = counted.map(({ key, limit }) => ({ key: sha256Hex(key), limit }))
      const waitSeconds = buckets.take(hashed, clock.now().getTime())
      return waitSeconds === null
        ? { allowed: true }
        : { allowed: false, retryAfterSeconds: waitSeconds }
    },
  }
}
