import { RedisPackageMissingError } from '../platform/errors/start-errors.ts'
import { clockSetBackMs } from '../platform/kit/clock.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import type { CountedLimit } from './limit-store.ts'

/**
 * Takes a token from each of several buckets, or from none, like `takeFromBuckets` in PostgreSQL.
 * `ARGV` contains the milliseconds of the clock, empty for that of Redis, then burst and refill per
 * second of each bucket.
 *
 * A bucket expires when it would be full; one that never refills, after a day. The time of a bucket
 * never moves backwards, so that clocks that differ do not refill it twice. A bucket whose time
 * shows that the clock was set back is full.
 *
 * Returns 0, or the seconds until all buckets contain a token.
 */
const takeScript = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local levels, times, wait = {}, {}, 0
for i, key in ipairs(KEYS) do
  local burst, refill = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local stored = redis.call('HMGET', key, 'tokens', 'at')
  local tokens = tonumber(stored[1] or burst)
  local at = tonumber(stored[2] or now)
  if at - now > ${clockSetBackMs} then tokens, at = burst, now end
  levels[i] = math.min(burst, tokens + math.max(0, now - at) / 1000 * refill)
  times[i] = math.max(now, at)
  if levels[i] < 1 then
    local rest = 3600
    if refill > 0 then rest = math.max(1, math.ceil((1 - levels[i]) / refill)) end
    wait = math.max(wait, rest)
  end
end
if wait > 0 then return wait end
for i, key in ipairs(KEYS) do
  local burst, refill = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local level, ttl = levels[i] - 1, 86400000
  if refill > 0 then ttl = times[i] - now + math.ceil((burst - level) / refill * 1000) + 1000 end
  redis.call('HSET', key, 'tokens', string.format('%.17g', level), 'at', string.format('%.0f', times[i]))
  redis.call('PEXPIRE', key, string.format('%.0f', ttl))
end
return 0`

/** A connection to Redis. */
export interface RedisLink {
  evaluate(script: string, keys: string[], values: string[]): Promise<unknown>
  close(): void
}

/**
 * Takes one token from each of several buckets in Redis, or from none, in one step.
 *
 * @param counted with hashed keys.
 * @param now null for the clock of Redis.
 * @returns null when each had a token, otherwise the seconds until all of them have one.
 */
export async function takeInRedis(
  link: RedisLink,
  counted: readonly CountedLimit[],
  now: Date | null,
): Promise<number | null> {
  const values = counted.flatMap(({ limit }) => [limit.burst, limit.refillPerSecond])
  const waitSeconds = await link.evaluate(
    takeScript,
    redisKeysOf(counted),
    [now?.getTime() ?? '', ...values].map(String),
  )
  const seconds = readSeconds(waitSeconds)
  return seconds > 0 ? seconds : null
}

/**
 * Returns the result of the script.
 *
 * @throws Error for any other reply, such as that of a proxy: it must not lift a limit.
 */
function readSeconds(reply: unknown): number {
  // Clients of hosts may return integers as text, or as bigint.
  const isGiven =
    ['number', 'bigint'].includes(typeof reply) ||
    (typeof reply === 'string' && reply.trim() !== '')
  const seconds = isGiven ? Number(reply) : Number.NaN
  if (!(seconds >= 0 && seconds < Number.POSITIVE_INFINITY)) {
    throw new Error('Redis replied to EVAL with no number of seconds')
  }
  return seconds
}

/** A bucket that Latchkey alone takes from, to find out whether Redis accepts writes. */
const probe = [{ key: sha256Hex('probe'), limit: { burst: 1_000, refillPerSecond: 1_000 } }]

/** Takes from a bucket that counts nothing. Rejects where Redis does not accept it. */
export const probeRedis = async (link: RedisLink, now: Date | null): Promise<void> =>
  void (await takeInRedis(link, probe, now))

/** The braces keep the keys of one call in one slot of a cluster. */
function redisKeysOf(counted: readonly CountedLimit[]): string[] {
  const slot = (counted[0]?.key ?? '').slice(0, 16)
  return counted.map(({ key }) => `latchkey:limit:{${slot}}:${key}`)
}

/**
 * The part of the packages `ioredis` and `redis` that is used. Their `EVAL` has different
 * arguments.
 */
interface RedisClient {
  eval(script: string, ...rest: unknown[]): Promise<unknown>
}

/**
 * Returns a link through a client of the host, which stays open.
 *
 * @param client a client of the packages `ioredis` or `redis`.
 */
export function linkOfClient(client: unknown): RedisLink {
  const redis = client as RedisClient
  return {
    evaluate: (script, keys, values) =>
      isIoredis(client)
        ? redis.eval(script, keys.length, ...keys, ...values)
        : redis.eval(script, { keys, arguments: values }),
    close: () => {},
  }
}

/** Only `ioredis` has `defineCommand`. */
const isIoredis = (client: unknown): boolean =>
  typeof client === 'object' && client !== null && 'defineCommand' in client

const connectTimeoutMs = 2_000

/**
 * Opens one connection to Redis. It is not opened again once it is lost: a new one is independent of
 * the time-outs of its connection.
 *
 * @param lost called once if the connection ends before it is closed.
 * @throws RedisPackageMissingError when the optional package is not installed.
 */
export async function connectRedis(
  url: string,
  lost: (error: unknown) => void,
): Promise<RedisLink> {
  const { createClient } = await importRedis()
  const client = createClient({
    url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: false, connectTimeout: connectTimeoutMs },
  })
  let isClosed = false
  const close = () => {
    isClosed = true
    // It throws where the connection has ended.
    if (client.isOpen) client.destroy()
  }
  client.on('error', (error) => {
    if (isClosed) return
    isClosed = true
    lost(error)
  })
  try {
    await client.connect()
  } catch (error) {
    close()
    throw error
  }
  return { ...linkOfClient(client), close }
}

/**
 * @param name the name of the setting that needs the package.
 * @throws RedisPackageMissingError when the optional package is not installed.
 */
export async function importRedis(name = 'rateLimits.redisUrl') {
  try {
    return await import('redis')
  } catch (error) {
    throw new RedisPackageMissingError(
      `${name} needs the package redis, version 5 or later: npm install redis`,
      { cause: error },
    )
  }
}
