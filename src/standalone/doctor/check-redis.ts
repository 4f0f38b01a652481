import { connectRedis, importRedis, probeRedis } from '../../limits/redis-buckets.ts'
import type { Config } from '../../platform/config/config.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { type Finding, fine, warning } from '../../service/doctor/finding.ts'

const patienceMs = 5_000

/**
 * Checks whether the configured Redis accepts the counters of limits. No findings where it is not
 * used, or where its package is missing, which `checkPackages` reports.
 */
export async function checkRedis({
  rateLimits: { store, redisUrl },
}: Pick<Config, 'rateLimits'>): Promise<Finding[]> {
  if (store !== 'redis' || redisUrl === null) return []
  try {
    await importRedis()
  } catch {
    return []
  }
  try {
    const link = await connectRedis(redisUrl, () => {})
    const probing = probeRedis(link, null).finally(link.close)
    await withinTime(probing, patienceMs, () => new Error('it did not respond in time'))
    return [fine('limits', 'Redis accepts the counters of requests per client')]
  } catch (error) {
    const reason = error instanceof Error ? error.message || error.name : String(error)
    return [
      warning(
        'limits',
        `Redis does not accept counters, so the database counts requests per client: ${reason}`,
        'check AUTH_RATE_LIMIT_REDIS_URL and the Redis behind it',
      ),
    ]
  }
}
