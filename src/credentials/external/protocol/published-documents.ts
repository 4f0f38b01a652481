import { createStorage } from 'unstorage'
import type { JsonReader } from '../../../platform/config/sections/provider-definition.ts'
import type { CacheStorage } from '../../../platform/config/sections/values.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { type Clock, isOlder } from '../../../platform/kit/clock.ts'
import { createSingleFlight } from '../../../platform/kit/concurrency.ts'
import { sha256Hex } from '../../../platform/kit/digest.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import type { UrlTrust } from '../../../platform/kit/url-trust.ts'
import { withinTime } from '../../../platform/kit/within-time.ts'
import { describeFault } from '../../../platform/observability/describe-fault.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import { jsonReader } from './json-reader.ts'
import { type ProviderAccess, requestJson } from './request-provider.ts'

/** A document that another server publishes. */
export interface PublishedDocument {
  url: string
  trust: UrlTrust
  /** Validates the content. A copy is validated at each use, since the storage may be shared. */
  isValid(document: JsonReader): boolean
}

/**
 * Returns a published document from a copy that is younger than `maxAgeMs` (default:
 * `cacheLifetimeMs`), or from its server.
 */
export type ReadDocument = (document: PublishedDocument, maxAgeMs?: number) => Promise<JsonReader>

export interface DocumentNeeds extends ProviderAccess {
  clock: Clock
  logger: Logger
  /** The storage that processes share; null where each keeps its own copies. */
  storage: CacheStorage | null
  cacheLifetimeMs: number
}

interface Copy {
  document: Record<string, unknown>
  fetchedAt: number
}

/** How long an expired copy is used while its server does not respond. */
const maxStaleMs = 24 * 60 * 60 * 1000

/** The minimum time between two requests to a server: with a usable copy, and without one. */
const restWithCopyMs = 60 * 1000
const restWithoutCopyMs = 5 * 1000

const maxCopies = 200
const maxAttempts = 1000
const storageTimeoutMs = 500

/**
 * Creates a reader of documents with a cache. Concurrent readers share one request to a server, and
 * another one is not sent soon after it. If the server fails, an old copy is used for a day.
 */
export function documentReader(needs: DocumentNeeds): ReadDocument {
  const { clock, logger, cacheLifetimeMs } = needs
  const share = createSingleFlight()
  const attempts = new Map<string, Date>()
  const copies = copyStore(needs)

  async function read(published: PublishedDocument, maxAgeMs: number): Promise<Copy> {
    const now = clock.now().getTime()
    const copy = await copies.find(published, now - maxAgeMs)
    if (copy && copy.fetchedAt > now - maxAgeMs) return copy
    const usable = copy && now - copy.fetchedAt < cacheLifetimeMs + maxStaleMs ? copy : null
    const rest = usable ? restWithCopyMs : restWithoutCopyMs
    if (!isOlder(attempts.get(published.url) ?? null, rest, new Date(now))) {
      if (usable) return usable
      throw new Error(`${originOf(published)} did not respond a moment ago`)
    }
    // The oldest attempt is inserted first, so it is the one that is removed.
    attempts.delete(published.url)
    attempts.set(published.url, new Date(now))
    dropOldest(attempts, maxAttempts)
    try {
      const fetched = await fetchDocument(needs, published)
      attempts.delete(published.url)
      await copies.store(published, fetched)
      return fetched
    } catch (error) {
      // Our limit of concurrent requests rejected it: the issuer received no request.
      if (error instanceof AuthError) attempts.delete(published.url)
      if (!usable) throw error
      logger.warn(
        { fault: describeFault(error), origin: originOf(published) },
        'published document not refreshed: the old copy is used',
      )
      return usable
    }
  }

  return async (published, maxAgeMs = cacheLifetimeMs) => {
    const copy = await share(`${maxAgeMs} ${published.url}`, () => read(published, maxAgeMs))
    const document = jsonReader(copy.document)
    if (!published.isValid(document)) throw unusable(published)
    return document
  }
}

async function fetchDocument(needs: DocumentNeeds, published: PublishedDocument): Promise<Copy> {
  const answer = await requestJson(needs, published.url, { trust: published.trust })
  const document = answer.value()
  if (!isRecord(document) || !published.isValid(answer)) throw unusable(published)
  return { document, fetchedAt: needs.clock.now().getTime() }
}

/**
 * Copies in memory and in the storage. An unreadable copy is ignored, and the document is fetched.
 */
function copyStore({ storage, clock, logger }: DocumentNeeds) {
  const memory: CacheStorage = createStorage()
  const stored = new Map<string, true>()

  async function attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await withinTime(work(), storageTimeoutMs, () => new Error('the storage timed out'))
    } catch (error) {
      logger.warn({ fault: describeFault(error) }, 'the storage for published documents failed')
      return null
    }
  }

  async function findIn(where: CacheStorage, published: PublishedDocument): Promise<Copy | null> {
    const found = readCopy(await attempt(async () => where.getItem(keyOf(published))))
    if (!found || found.url !== published.url) return null
    // The clock of another process may be slightly ahead. A copy from next year would never expire.
    if (found.fetchedAt > clock.now().getTime() + restWithCopyMs) return null
    return published.isValid(jsonReader(found.document)) ? found : null
  }

  async function storeIn(where: CacheStorage, published: PublishedDocument, copy: Copy) {
    const { document, fetchedAt } = copy
    const item = { url: published.url, document, fetchedAt }
    await attempt(async () => where.setItem(keyOf(published), item))
  }

  async function remember(published: PublishedDocument, copy: Copy): Promise<void> {
    const key = keyOf(published)
    stored.delete(key)
    stored.set(key, true)
    await storeIn(memory, published, copy)
    const oldest = dropOldest(stored, maxCopies)
    if (oldest !== undefined) await memory.removeItem(oldest)
  }

  return {
    /**
     * Returns the newest copy. The storage is read unless the copy in memory is newer than `since`.
     */
    async find(published: PublishedDocument, since: number): Promise<Copy | null> {
      const own = await findIn(memory, published)
      if (!storage || (own && own.fetchedAt > since)) return own
      const shared = await findIn(storage, published)
      if (!shared || (own && own.fetchedAt >= shared.fetchedAt)) return own
      await remember(published, shared)
      return shared
    },
    async store(published: PublishedDocument, copy: Copy): Promise<void> {
      await remember(published, copy)
      if (storage) await storeIn(storage, published, copy)
    },
  }
}

const keyOf = ({ url }: PublishedDocument): string => `latchkey:published:${sha256Hex(url)}`

/** Reads a copy. Some storages return the JSON text of a value. */
function readCopy(item: unknown): (Copy & { url: string }) | null {
  const value = typeof item === 'string' ? parse(item) : item
  if (!isRecord(value)) return null
  const { url, document, fetchedAt } = value
  if (typeof url !== 'string' || typeof fetchedAt !== 'number' || !isRecord(document)) return null
  return { url, document, fetchedAt }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Removes the oldest entry of a map that exceeds its limit. @returns the removed key. */
function dropOldest(map: Map<string, unknown>, limit: number): string | undefined {
  if (map.size <= limit) return undefined
  const [oldest] = map.keys()
  if (oldest !== undefined) map.delete(oldest)
  return oldest
}

const originOf = ({ url }: PublishedDocument): string => URL.parse(url)?.origin ?? 'an invalid URL'

const unusable = (published: PublishedDocument): Error =>
  new Error(`${originOf(published)} published an invalid document`)
