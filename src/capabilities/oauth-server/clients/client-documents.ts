import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Config } from '../../../platform/config/config.ts'
import { holdsManyValues } from '../../../platform/http/plain-json.ts'
import { type Clock, isOlder } from '../../../platform/kit/clock.ts'
import { isRecord } from '../../../platform/kit/is-record.ts'
import { memoize } from '../../../platform/kit/memoize.ts'
import type { OutsideFetch } from '../../../platform/kit/outside-fetch.ts'

/** Reads the JSON documents that clients publish. */
export interface ClientDocuments {
  /**
   * Returns a document, from the cache while its `max-age` lasts.
   *
   * @throws UnusableDocument where it is withdrawn, or is no JSON object.
   * @throws Error where it is unavailable, or its host is not permitted.
   */
  read(clock: Clock, url: string, options?: ReadOptions): Promise<Record<string, unknown>>
  /** Returns a document as {@link read}, with the time at which it was read. */
  readDated(clock: Clock, url: string, options?: ReadOptions): Promise<DatedDocument>
  /** Returns whether a document was read before, fresh or not. */
  isCached(url: string): boolean
}

export interface ReadOptions {
  /** Reads the document again in spite of its `max-age`, at most once in a few seconds. */
  isNew?: boolean
  /**
   * Repeats the error of a reading without a request for 30 seconds, in place of the few seconds of
   * all readings.
   */
  remembersFailure?: boolean
}

export interface DatedDocument {
  document: Record<string, unknown>
  readAt: Date
}

/** The error of a document that its publisher withdrew, or that describes nothing. */
export class UnusableDocument extends Error {}

/** A document as text: parsed, it may need a hundred times the memory. */
interface CachedDocument {
  text: string
  readAt: number
  freshUntil: number
}

const maxCached = 500
/** The members that are read: of a client (RFC 7591 §2), and of a set of keys (RFC 7517 §5). */
const members = [
  ...['client_id', 'client_secret', 'client_name', 'client_type', 'client_uri', 'logo_uri'],
  ...['redirect_uris', 'post_logout_redirect_uris', 'grant_types', 'response_types'],
  ...['token_endpoint_auth_method', 'jwks', 'jwks_uri', 'keys'],
]
/** The maximum size of a document with all of its members. */
const maxDocumentBytes = 256 * 1024
/** The maximum number of values in a document. */
const maxValues = 4_096
/** The maximum size of the members that are read. */
const maxReadLength = 128 * 1024
/** The maximum size of all documents that are cached. */
const maxCachedLength = 8 * 1024 * 1024
const defaultLifetimeMs = 300_000
const maxLifetimeMs = 24 * 60 * 60 * 1000
/**
 * A document is not requested more often, whatever its `max-age` and the requests of clients, and
 * whether it is available.
 */
const minLifetimeMs = 5_000
/** How long the error of a reading is repeated without a request, for callers that permit it. */
const failureLifetimeMs = 30_000

/**
 * Opens the documents of clients. A client states the URL, so that requests are bounded in number,
 * time and size, and reach public hosts only. The networks that cause them take turns.
 */
export const clientDocumentsOf = ({
  config,
  clientFetch,
}: Pick<AuthContext, 'config' | 'clientFetch'>): ClientDocuments => documentsOf(clientFetch)(config)

const documentsOf = memoize((fetch: OutsideFetch) =>
  memoize((config: Config) => openDocuments(config, fetch)),
)

function openDocuments({ oauthServer, outgoing }: Config, fetch: OutsideFetch): ClientDocuments {
  const cached = new Map<string, CachedDocument>()
  const failures = new Map<string, { error: unknown; failedAt: number }>()
  let cachedLength = 0
  const trusted: readonly string[] = oauthServer.clientIdMetadataDocuments.trustedHosts

  const request = async (url: string, now: number): Promise<CachedDocument> => {
    const response = await fetch(url, {
      isPermittedHost: trusted.includes(new URL(url).host),
      headers: { accept: 'application/json' },
      timeoutMs: outgoing.timeoutSeconds * 1000,
      maxBytes: maxDocumentBytes,
      isShared: true,
    })
    const read = readOnce(response)
    if ('error' in read) throw read.error
    return { text: read.text, readAt: now, freshUntil: now + read.lifetimeMs }
  }

  const remove = (url: string): void => {
    cachedLength -= cached.get(url)?.text.length ?? 0
    cached.delete(url)
  }

  const keep = (url: string, read: CachedDocument): void => {
    remove(url)
    cached.set(url, read)
    cachedLength += read.text.length
    for (const oldest of cached.keys()) {
      if (cached.size <= maxCached && cachedLength <= maxCachedLength) break
      remove(oldest)
    }
  }

  /**
   * Keeps the error of a reading, unless this service was overloaded and sent no request. A
   * withdrawn document is no longer used.
   */
  const keepFailure = (url: string, error: unknown, now: number): void => {
    if (Object(error).status >= 500) return
    if (error instanceof UnusableDocument) remove(url)
    failures.delete(url)
    failures.set(url, { error, failedAt: now })
    const [oldest] = failures.keys()
    if (failures.size > maxCached && oldest !== undefined) failures.delete(oldest)
  }

  const readDated: ClientDocuments['readDated'] = async (clock, url, options = {}) => {
    const { isNew = false, remembersFailure = false } = options
    const now = clock.now().getTime()
    const known = cached.get(url)
    const isUsable = known && (isNew ? known.readAt + minLifetimeMs > now : known.freshUntil > now)
    // Where the clock was set back, the end of a lifetime is not known.
    if (known && isUsable && known.readAt <= now) return dated(known)
    const failure = failures.get(url)
    const pauseMs = remembersFailure ? failureLifetimeMs : minLifetimeMs
    if (failure && !isOlder(new Date(failure.failedAt), pauseMs, new Date(now))) throw failure.error
    try {
      const read = await request(url, now)
      failures.delete(url)
      keep(url, read)
      return dated(read)
    } catch (error) {
      keepFailure(url, error, now)
      throw error
    }
  }

  return {
    read: async (...given) => (await readDated(...given)).document,
    readDated,
    isCached: (url) => cached.has(url),
  }
}

/** The part of a response that is kept. */
interface ReadResponse {
  text: string
  lifetimeMs: number
}

type OutsideResponse = Awaited<ReturnType<OutsideFetch>>

/** Reads a response once, also where several callers share it, or its error. */
const readOnce = memoize((response: OutsideResponse): ReadResponse | { error: unknown } => {
  try {
    return readResponse(response)
  } catch (error) {
    return { error }
  }
})

function readResponse({ status, headers, text }: OutsideResponse): ReadResponse {
  if (status === 404 || status === 410) {
    throw new UnusableDocument(`the document has the status ${status}`)
  }
  if (status !== 200) throw new Error(`the document has the status ${status}`)
  if (!isJson(headers['content-type'])) throw new UnusableDocument('the document is not JSON')
  return { text: textOfMembers(parse(text)), lifetimeMs: lifetimeMs(headers['cache-control']) }
}

const dated = ({ text, readAt }: CachedDocument): DatedDocument => ({
  document: parse(text),
  readAt: new Date(readAt),
})

/** Returns whether a media type is `application/json`, or has its suffix. @see RFC 6839 §3.1 */
function isJson(contentType: string | undefined): boolean {
  const [mediaType = ''] = (contentType ?? '').split(';', 1)
  return /^application\/(?:[a-z\d!#$&^_.-]+\+)?json$/i.test(mediaType.trim())
}

/** Returns the members that are read, so that others cost no time at each request. */
function textOfMembers(document: Record<string, unknown>): string {
  const present = members.filter((name) => Object.hasOwn(document, name))
  const text = JSON.stringify(Object.fromEntries(present.map((name) => [name, document[name]])))
  if (text.length <= maxReadLength) return text
  throw new UnusableDocument(`the document has more than ${maxReadLength} characters of metadata`)
}

function parse(text: string): Record<string, unknown> {
  // Parsing a document of few bytes with many values blocks the event loop.
  if (holdsManyValues(text, maxValues)) {
    throw new UnusableDocument(`the document has more than ${maxValues} values`)
  }
  const document = parsedOrNull(text)
  if (isRecord(document)) return document
  throw new UnusableDocument('the document is not a JSON object')
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function lifetimeMs(cacheControl: string | undefined): number {
  const directives = cacheControl ?? ''
  if (/\bno-(store|cache)\b/i.test(directives)) return minLifetimeMs
  const maxAge = /\bmax-age=(\d{1,9})/i.exec(directives)?.[1]
  const ms = maxAge === undefined ? defaultLifetimeMs : Number(maxAge) * 1000
  return Math.min(Math.max(ms, minLifetimeMs), maxLifetimeMs)
}
