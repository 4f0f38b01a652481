import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { serviceUnavailable } from '../errors/request-errors.ts'
import { sha256Hex } from '../kit/digest.ts'
import { isError } from '../kit/is-error.ts'
import type { LimitStore } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

/**
 * Counts in Redis, which all instances share. It counts in fixed windows: the burst of a limit, in the
 * time that it takes to fill again, which comes to the same over any longer time.
 *
 * @param client a client of the packages `ioredis` or `redis`.
 */
export function redisLimitStore(client: unknown): LimitStore {
  const limiters = new Map<string, RateLimiterRedis>()
  const limiterFor = ({ burst, refillPerSecond }: RequestLimit): RateLimiterRedis => {
    const duration = Math.max(1, Math.round(burst / refillPerSecond))
    const keyPrefix = `latchkey:limit:${burst}:${duration}`
    const known = limiters.get(keyPrefix)
    if (known) return known
    const made = new RateLimiterRedis({
      storeClient: client,
      // Both are called by the same names, with other arguments.
      useRedisPackage: !isIoredis(client),
      keyPrefix,
      points: burst,
      duration,
    })
    limiters.set(keyPrefix, made)
    return made
  }
  return {
    take: async (key, limit) => {
      try {
        await limiterFor(limit).consume(sha256Hex(key))
        return { allowed: true }
      } catch (refusal) {
        // What is thrown for a refusal is no error; an error is one of the connection.
        if (isError(refusal)) {
          throw serviceUnavailable('The store of limits cannot be reached', refusal)
        }
        const { msBeforeNext } = refusal as RateLimiterRes
        return { allowed: false, retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
      }
    },
  }
}

/** Only `ioredis` lets its host define commands. */
const isIoredis = (client: unknown): boolean =>
  typeof client === 'object' && client !== null && 'defineCommand' in client
