import type { ResolvedRateLimits } from '../platform/config/sections/rate-limits.ts'
import type { Clock } from '../platform/kit/clock.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { CountedLimit, LimitStore } from './limit-store.ts'
import { createMemoryBuckets } from './memory-buckets.ts'
import { takeFromBuckets } from './take-from-bucket.sql.ts'

/**
 * Returns the store that the configuration names. The Redis client is loaded only where it is used.
 */
export async function openLimitStore(
  { store, redis }: ResolvedRateLimits,
  { sql, clock }: { sql: Queryable; clock: Clock },
): Promise<LimitStore> {
  if (redis) {
    const { redisLimitStore } = await import('./redis-limit-store.ts')
    return redisLimitStore(redis())
  }
  return store === 'postgres' ? postgresLimitStore(sql, clock) : memoryLimitStore(clock)
}

/**
 * Counts in this process only. Several instances each allow the whole limit; where that matters,
 * count in the database or in Redis.
 */
export function memoryLimitStore(clock: Clock): LimitStore {
  const buckets = createMemoryBuckets()
  return storeOf(async (hashed) => buckets.take(hashed, clock.now().getTime()))
}

/** Counts in the database, which all instances share, in one statement per request. */
export const postgresLimitStore = (sql: Queryable, clock: Clock): LimitStore =>
  storeOf((hashed) => takeFromBuckets(sql, hashed, clock.now()))

/** @param take returns the seconds to wait; null where all limits allow the request. */
const storeOf = (
  take: (hashed: readonly CountedLimit[]) => Promise<number | null>,
): LimitStore => ({
  take: async (counted) => {
    const waitSeconds = await take(
      counted.map(({ key, limit }) => ({ key: sha256Hex(key), limit })),
    )
    return waitSeconds === null
      ? { allowed: true }
      : { allowed: false, retryAfterSeconds: waitSeconds }
  },
})
