import { hash } from 'node:crypto'
import type { CacheStorage } from '../../platform/config/sections/values.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { type Clock, isOlder } from '../../platform/kit/clock.ts'
import { createSingleFlight } from '../../platform/kit/concurrency.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/**
 * Returns whether a password is part of a known breach.
 *
 * @throws Error when it cannot be determined.
 */
export type IsBreached = (password: string) => Promise<boolean>

interface Needs {
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
  clock: Clock
  logger: Logger
  /** The storage that processes share; null where each keeps its own copies. */
  storage: CacheStorage | null
  userAgent: string
}

const rangeUrl = 'https://api.pwnedpasswords.com/range/'

/**
 * The digits that the service receives of the SHA-1: 20 bits, which about a thousand breached
 * passwords share.
 */
const prefixLength = 5

/**
 * The digits that are stored of the other 140 bits. One in 10¹¹ passwords equals one of the
 * thousand in them.
 */
const keptLength = 12

/** The stored digits of the breached passwords with one prefix, concatenated. */
interface Range {
  ends: string
  fetchedAt: number
}

/** About 800 passwords of 40 bytes, and the same again for padding. */
const maxBytes = 512 * 1024

const timeoutMs = 5000
const storageTimeoutMs = 500
const maxAgeMs = 24 * 60 * 60 * 1000
/** How long an old range is used while the service does not respond. */
const maxStaleMs = 30 * maxAgeMs
/**
 * The time without requests after a failure, so that users do not wait for a service that is down.
 */
const restMs = 5000
const maxRanges = 200

/**
 * Sends range queries to Have I Been Pwned, with padded responses: neither the query nor the size
 * of the response reveals the password. Ranges are cached for a day.
 *
 * @see https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
 */
export function breachedPasswords(needs: Needs): IsBreached {
  const { clock, logger } = needs
  const oncePerPrefix = createSingleFlight()
  const ranges = rangeStore(needs)
  let failedAt: Date | null = null
  const isResting = (): boolean => !isOlder(failedAt, restMs, clock.now())

  const readRange = async (prefix: string): Promise<Range> => {
    const now = clock.now().getTime()
    const known = await ranges.find(prefix, now - maxAgeMs)
    if (known && known.fetchedAt > now - maxAgeMs) return known
    try {
      if (isResting()) throw new Error('the breach check failed a moment ago')
      const range = { ends: await fetchEnds(needs, prefix), fetchedAt: now }
      await ranges.store(prefix, range)
      return range
    } catch (error) {
      // Our limit of concurrent requests rejected it: the service received no request.
      const wasQueried = !(error instanceof AuthError)
      if (wasQueried && !isResting()) {
        failedAt = clock.now()
        logger.warn({ fault: describeFault(error) }, 'breach check of passwords failed')
      }
      if (known && known.fetchedAt > now - maxStaleMs) return known
      throw error
    }
  }

  return async (password) => {
    const digest = hash('sha1', password).toUpperCase()
    const prefix = digest.slice(0, prefixLength)
    const { ends } = await oncePerPrefix(prefix, () => readRange(prefix))
    const end = digest.slice(prefixLength, prefixLength + keptLength)
    for (let at = 0; at < ends.length; at += keptLength) {
      if (ends.startsWith(end, at)) return true
    }
    return false
  }
}

async function fetchEnds({ fetch, userAgent }: Needs, prefix: string): Promise<string> {
  const { status, text } = await fetch(`${rangeUrl}${prefix}`, {
    trust: 'operator',
    headers: { 'add-padding': 'true', 'user-agent': userAgent },
    timeoutMs,
    maxBytes,
  })
  if (status !== 200) throw new Error(`the service for breached passwords returned ${status}`)
  return endsIn(text)
}

/** Reads a response. Padding has a count of 0. */
function endsIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const found = lines.filter((line) => line !== '').map((line) => rangeLine.exec(line))
  // Every prefix has breached passwords.
  if (found.length === 0 || found.includes(null)) {
    throw new Error('the service for breached passwords returned an invalid response')
  }
  return found
    .map((line) => (Number(line?.[2]) > 0 ? (line?.[1] ?? '').toUpperCase() : ''))
    .join('')
}

const rangeLine = new RegExp(
  `^([0-9A-F]{${keptLength}})[0-9A-F]{${40 - prefixLength - keptLength}}:(\\d+)$`,
  'i',
)

/** Ranges in memory and in the storage, which may lose them or fail. */
function rangeStore({ storage, clock, logger }: Needs) {
  const memory = new Map<string, Range>()

  const remember = (prefix: string, range: Range) => {
    memory.delete(prefix)
    memory.set(prefix, range)
    const [oldest] = memory.keys()
    if (memory.size > maxRanges && oldest !== undefined) memory.delete(oldest)
  }

  const attempt = async <T>(work: (storage: CacheStorage) => Promise<T>): Promise<T | null> => {
    if (!storage) return null
    try {
      const working = Promise.resolve(storage).then(work)
      return await withinTime(working, storageTimeoutMs, () => new Error('the storage timed out'))
    } catch (error) {
      logger.warn(
        { fault: describeFault(error) },
        'the storage for ranges of breached passwords failed',
      )
      return null
    }
  }

  return {
    /**
     * Returns the newest range. The storage is read unless the range in memory is newer than
     * `since`.
     */
    async find(prefix: string, since: number): Promise<Range | null> {
      const own = memory.get(prefix) ?? null
      if (own && own.fetchedAt > since) return own
      const shared = asRange(await attempt((one) => one.getItem(keyOf(prefix))))
      // The clock of another process may be slightly ahead. A range from next year would never
      // expire.
      const isUsable = shared && shared.fetchedAt <= clock.now().getTime() + 60_000
      if (!isUsable || (own && own.fetchedAt >= shared.fetchedAt)) return own
      remember(prefix, shared)
      return shared
    },
    async store(prefix: string, { ends, fetchedAt }: Range): Promise<void> {
      remember(prefix, { ends, fetchedAt })
      await attempt((one) => one.setItem(keyOf(prefix), { ends, fetchedAt }))
    },
  }
}

const keyOf = (prefix: string): string => `latchkey:known-passwords:${prefix}`

/** Reads a range. Some storages return the JSON text of a value. */
function asRange(item: unknown): Range | null {
  const value = typeof item === 'string' ? parse(item) : item
  if (!isRecord(value)) return null
  const { ends, fetchedAt } = value
  if (typeof ends !== 'string' || typeof fetchedAt !== 'number') return null
  return /^[0-9A-F]*$/.test(ends) && ends.length % keptLength === 0 ? { ends, fetchedAt } : null
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
