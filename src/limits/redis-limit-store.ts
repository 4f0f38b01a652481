import type { Clock } from '../platform/kit/clock.ts'
import { withinTime } from '../platform/kit/within-time.ts'
import { describeFault } from '../platform/observability/describe-fault.ts'
import type { Logger } from '../platform/observability/logger.ts'
import type { Telemetry } from '../platform/observability/telemetry.ts'
import { type LimitStore, type OpenLimitStore, takenIn, withHashedKeys } from './limit-store.ts'
import { probeRedis, type RedisLink, takeInRedis } from './redis-buckets.ts'

/** @param lost called if the connection ends. */
export type OpenLink = (lost: (error: unknown) => void) => Promise<RedisLink>

interface Needs {
  /** Counts while Redis is unavailable. */
  fallback: LimitStore
  /** Null for the clock of Redis. */
  storeClock: Clock | null
  logger: Logger
  telemetry: Telemetry | null
}

/** The times of a store in Redis. */
export interface RedisPace {
  /** Half of the time limit of a call. */
  halfAttemptMs: number
  /** The pause before Redis is tried again. */
  retryMs: number
}

const usualPace: RedisPace = { halfAttemptMs: 1_500, retryMs: 1_000 }

/**
 * Counts in Redis, which all instances share, in one call per request. While Redis is unavailable,
 * requests are counted by `fallback`, and Redis is tried again every second, apart from requests: so
 * none of them waits for it.
 *
 * A connection that fails once is not used again. Its call may still take a token, so a limit is
 * never larger than that of each store.
 */
export async function openRedisLimitStore(
  openLink: OpenLink,
  { fallback, storeClock, logger, telemetry }: Needs,
  pace: RedisPace = usualPace,
): Promise<OpenLimitStore> {
  let link: RedisLink | null = null
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const now = () => storeClock?.now() ?? null
  const timed = <T>(work: Promise<T>) => withinTwoHalves(work, pace.halfAttemptMs)

  const connect = async (): Promise<void> => {
    let opened: RedisLink | null = null
    const lost = (error: unknown) => {
      if (opened) fail(opened, error)
    }
    const opening = openLink(lost)
    opened = await timed(opening).catch((error) => {
      // It may still open later.
      opening.then(({ close }) => close()).catch(() => {})
      throw error
    })
    try {
      await timed(probeRedis(opened, now()))
    } catch (error) {
      opened.close()
      throw error
    }
    if (isClosed) opened.close()
    else link = opened
  }

  const retryLater = (): void => {
    if (isClosed) return
    timer = setTimeout(() => {
      connect().then(
        () => logger.info({}, 'Redis is available again; requests per client are counted there'),
        retryLater,
      )
    }, pace.retryMs).unref()
  }

  const reportUnavailable = (error: unknown): void => {
    logger.warn(
      { fault: describeFault(error) },
      'Redis is unavailable; requests per client are counted in the database until it responds',
    )
    retryLater()
  }

  /** Leaves a link. Several calls may fail on one link, also after the next one is open. */
  const fail = (failed: RedisLink, error: unknown): void => {
    if (link !== failed) return
    link = null
    failed.close()
    reportUnavailable(error)
  }

  await connect().catch(reportUnavailable)
  return {
    take: async (counted) => {
      const used = link
      if (used) {
        try {
          return takenIn(await timed(takeInRedis(used, withHashedKeys(counted), now())))
        } catch (error) {
          fail(used, error)
        }
      }
      telemetry?.count('auth.limits.fallbacks', noAttributes)
      return fallback.take(counted)
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      link?.close()
      link = null
    },
  }
}

const noAttributes = {}

/**
 * Waits for work up to twice this time. A process that was busy for the whole first half receives
 * in the second one the response that waits for it.
 */
async function withinTwoHalves<T>(work: Promise<T>, halfMs: number): Promise<T> {
  const late = new Error('Redis did not respond in time')
  return withinTime(work, halfMs, () => late).catch((error) => {
    if (error !== late) throw error
    return withinTime(work, halfMs, () => late)
  })
}
