import { serviceUnavailable } from '../platform/errors/request-errors.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import type { CountedLimit, LimitStore } from './limit-store.ts'
import type { RequestLimit } from './request-limit.ts'

/**
 * Takes one from each window, or from none. `ARGV` contains the size and the milliseconds of each
 * window.
 *
 * Returns 0, or the milliseconds until each full window has ended.
 */
const takeScript = `
local wait = 0
for i, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or '0') >= tonumber(ARGV[2 * i - 1]) then
    local rest = redis.call('PTTL', key)
    if rest < 0 then rest = tonumber(ARGV[2 * i]) end
    wait = math.max(wait, rest, 1)
  end
end
if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  if redis.call('INCR', key) == 1 then redis.call('PEXPIRE', key, ARGV[2 * i]) end
end
return 0`

/**
 * The part of the packages `ioredis` and `redis` that is used. Their `EVAL` has different
 * arguments.
 */
interface RedisClient {
  eval(script: string, ...rest: unknown[]): Promise<unknown>
}

/**
 * Counts in Redis, which all instances share, in one call per request. It counts in fixed windows:
 * the burst of a limit, in the time in which it refills. Over a longer time both ways allow the
 * same number.
 *
 * @param client a client of the packages `ioredis` or `redis`.
 */
export function redisLimitStore(client: unknown): LimitStore {
  const redis = client as RedisClient
  const run = (keys: string[], values: string[]): Promise<unknown> =>
    isIoredis(client)
      ? redis.eval(takeScript, keys.length, ...keys, ...values)
      : redis.eval(takeScript, { keys, arguments: values })
  return {
    take: async (counted) => {
      const waitMs = await run(keysOf(counted), counted.flatMap(windowOf)).catch((error) => {
        throw serviceUnavailable('The store of limits cannot be reached', error)
      })
      const retryAfterSeconds = Math.ceil(Number(waitMs) / 1000)
      return retryAfterSeconds > 0 ? { allowed: false, retryAfterSeconds } : { allowed: true }
    },
  }
}

/** The braces keep the keys of one call in one slot of a cluster. */
function keysOf(counted: readonly CountedLimit[]): string[] {
  const slot = sha256Hex(counted[0]?.key ?? '').slice(0, 16)
  return counted.map(({ key }) => `latchkey:limit:{${slot}}:${sha256Hex(key)}`)
}

/** A limit that never refills is counted for a day. */
const windowOf = ({ limit: { burst, refillPerSecond } }: { limit: RequestLimit }): string[] => {
  const seconds = refillPerSecond > 0 ? Math.max(1, Math.round(burst / refillPerSecond)) : 86_400
  return [String(burst), String(seconds * 1000)]
}

/** Only `ioredis` has `defineCommand`. */
const isIoredis = (client: unknown): boolean =>
  typeof client === 'object' && client !== null && 'defineCommand' in client
