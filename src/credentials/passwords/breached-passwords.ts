import { hash } from 'node:crypto'
import type { CacheStorage } from '../../platform/config/sections/cache-storage.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { isRecord } from '../../platform/kit/is-record.ts'
import type { FetchAnswer, FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { createSingleFlight } from '../../platform/kit/single-flight.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { describeFault } from '../../platform/observability/describe-fault.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/**
 * Whether a password is known from breaches.
 *
 * @throws Error when nobody can tell.
 */
export type IsBreached = (password: string) => Promise<boolean>

interface Needs {
  fetch: (url: string, options: FetchOptions) => Promise<FetchAnswer>
  clock: Clock
  logger: Logger
  /** Shared with other processes; null where each keeps its own copies. */
  storage: CacheStorage | null
  userAgent: string
}

const rangeUrl = 'https://api.pwnedpasswords.com/range/'

/** What a service learns of a password: 20 bits of its SHA-1, which are those of about a thousand known ones. */
const prefixLength = 5

/** What is kept of the other 140 bits. Of a thousand, one in 10¹¹ passwords is taken for one of them. */
const keptLength = 12

/** The ends of the known passwords of one prefix, one after the other. */
interface Range {
  ends: string
  fetchedAt: number
}

/** About 800 passwords of 40 bytes, and as many again for padding. */
const maxBytes = 512 * 1024

const timeoutMs = 5000
const storageTimeoutMs = 500
const maxAgeMs = 24 * 60 * 60 * 1000
/** How long a range is used while the service cannot be asked. */
const maxStaleMs = 30 * maxAgeMs
/** How long the service is left alone that has just failed: who waits for it waits for nothing. */
const restMs = 5000
const maxRanges = 200

/**
 * Asks the range query of Have I Been Pwned, with padded answers: neither what is asked nor how long the answer is
 * tells the password. Ranges are kept for a day.
 *
 * @see https://haveibeenpwned.com/API/v3#SearchingPwnedPasswordsByRange
 */
export function breachedPasswords(needs: Needs): IsBreached {
  const { clock, logger } = needs
  const oncePerPrefix = createSingleFlight()
  const ranges = rangeStore(needs)
  let failedAt = Number.NEGATIVE_INFINITY

  const readRange = async (prefix: string): Promise<Range> => {
    const now = clock.now().getTime()
    const known = await ranges.find(prefix, now - maxAgeMs)
    if (known && known.fetchedAt > now - maxAgeMs) return known
    try {
      if (now - failedAt < restMs) throw new Error('the service for known passwords just failed')
      const range = { ends: await fetchEnds(needs, prefix), fetchedAt: now }
      await ranges.store(prefix, range)
      return range
    } catch (error) {
      // No room for another request: the service was not asked.
      const isAsked = !(error instanceof AuthError)
      if (isAsked && now - failedAt >= restMs) {
        failedAt = now
        logger.warn({ fault: describeFault(error) }, 'passwords not looked up among known ones')
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
  if (status !== 200) throw new Error(`the service for known passwords answered ${status}`)
  return endsIn(text)
}

/** What pads an answer was seen 0 times. */
function endsIn(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const found = lines.filter((line) => line !== '').map((line) => rangeLine.exec(line))
  // There is no prefix without known passwords.
  if (found.length === 0 || found.includes(null)) {
    throw new Error('the service for known passwords answered something else')
  }
  return found
    .map((line) => (Number(line?.[2]) > 0 ? (line?.[1] ?? '').toUpperCase() : ''))
    .join('')
}

const rangeLine = new RegExp(
  `^([0-9A-F]{${keptLength}})[0-9A-F]{${40 - prefixLength - keptLength}}:(\\d+)$`,
  'i',
)

/** Ranges in memory, and in the storage behind it, which may lose them and fail. */
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
      return await withinTime(working, storageTimeoutMs, () => new Error('the storage is too slow'))
    } catch (error) {
      logger.warn(
        { fault: describeFault(error) },
        'the storage for ranges of known passwords failed',
      )
      return null
    }
  }

  return {
    /** The newest; the storage is asked where the one in memory is not from after `since`. */
    async find(prefix: string, since: number): Promise<Range | null> {
      const own = memory.get(prefix) ?? null
      if (own && own.fetchedAt > since) return own
      const shared = asRange(await attempt((one) => one.getItem(keyOf(prefix))))
      // A clock may be a little ahead of ours; a range of next year would never grow old.
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

/** Some storages give back the text that they made of it. */
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
