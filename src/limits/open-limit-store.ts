import type { ResolvedRateLimits } from '../platform/config/sections/rate-limits.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import type { LimitStore } from './limit-store.ts'
import { memoryLimitStore } from './memory-limit-store.ts'
import { postgresLimitStore } from './postgres-limit-store.ts'

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
