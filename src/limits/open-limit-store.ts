import type { ResolvedRateLimits } from '../platform/config/sections/rate-limits.ts'
import type { Clock } from '../platform/kit/clock.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import type { Queryable } from '../platform/sql/queryable.ts'
import { type CountedLimit, type OpenLimitStore, takenIn, withHashedKeys } from './limit-store.ts'
import { createMemoryBuckets } from './memory-buckets.ts'
import type { OpenLink } from './redis-limit-store.ts'
import { takeFromBuckets } from './take-from-bucket.sql.ts'

interface Needs {
  sql: Queryable
  clock: Clock
  /** The clock in place of that of the database or Redis; null for theirs. */
  storeClock: Clock | null
  logger: Logger
  telemetry: Telemetry | null
}

/**
 * Opens the store that the configuration names. The code for Redis is loaded only where it is used.
 *
 * @throws RedisPackageMissingError when the optional package is not installed.
 */
export async function openLimitStore(
  settings: Pick<ResolvedRateLimits, 'store' | 'redis' | 'redisUrl'>,
  needs: Needs,
): Promise<OpenLimitStore> {
  if (settings.store === 'memory') return memoryLimitStore(needs.clock)
  const inDatabase = postgresLimitStore(needs.sql, needs.storeClock)
  if (settings.store === 'postgres') return inDatabase
  const { openRedisLimitStore } = await import('./redis-limit-store.ts')
  return openRedisLimitStore(await linkTo(settings), { ...needs, fallback: inDatabase })
}

/** Returns the function that opens a link: through the client of the host, or one of its own. */
async function linkTo({
  redis,
  redisUrl,
}: Pick<ResolvedRateLimits, 'redis' | 'redisUrl'>): Promise<OpenLink> {
  if (redis) {
    const { linkOfClient } = await import('./redis-buckets.ts')
    const client = redis()
    return async () => linkOfClient(client)
  }
  const { connectRedis, importRedis } = await import('./redis-buckets.ts')
  await importRedis()
  return (lost) => connectRedis(redisUrl ?? '', lost)
}

/**
 * Counts in this process only. Several instances each allow the whole limit; where that matters,
 * count in the database or in Redis.
 */
export function memoryLimitStore(clock: Clock): OpenLimitStore {
  const buckets = createMemoryBuckets()
  return storeOf(async (hashed) => buckets.take(hashed, clock.now().getTime()))
}

/**
 * Counts in the database, which all instances share, in one statement per request.
 *
 * @param clock null for that of the database.
 */
export const postgresLimitStore = (sql: Queryable, clock: Clock | null): OpenLimitStore =>
  storeOf((hashed) => takeFromBuckets(sql, hashed, clock?.now() ?? null))

/** @param take returns the seconds to wait; null where all limits allow the request. */
const storeOf = (
  take: (hashed: readonly CountedLimit[]) => Promise<number | null>,
): OpenLimitStore => ({
  take: async (counted) => takenIn(await take(withHashedKeys(counted))),
  close: async () => {},
})
