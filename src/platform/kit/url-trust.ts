import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { isGlobal, isPublic, readIpAddress } from './ip-address.ts'
import { isError } from './is-error.ts'
import { withinTime } from './within-time.ts'

/** The reason why a request to another server failed. */
type FetchFailureReason = 'refused-url' | 'timed-out' | 'too-large' | 'unreachable'

export interface FetchFailure extends Error {
  name: 'FetchFailure'
  reason: FetchFailureReason
}

const inWords: Record<FetchFailureReason, string> = {
  'refused-url':
    'is not permitted: public hosts require https, and private hosts must be part of the configuration',
  'timed-out': 'did not respond in time',
  'too-large': 'sent a response that is too large',
  unreachable: 'cannot be reached',
}

/**
 * @param origin scheme, host and port: path, query and credentials may contain secrets.
 * @param cause the network error.
 */
export const fetchFailure = (
  reason: FetchFailureReason,
  origin: string,
  cause?: unknown,
): FetchFailure =>
  Object.assign(new Error(`${origin} ${inWords[reason]}`, { cause }), {
    name: 'FetchFailure' as const,
    reason,
  })

export const isFetchFailure = (error: unknown): error is FetchFailure =>
  isError(error) && error.name === 'FetchFailure'

/**
 * The origin of a URL. `operator`, from the configuration: `https:` to any host, or `http:` to
 * loopback and private hosts. `outside`, from a request, token, document or redirect: `https:` to
 * public hosts.
 */
export type UrlTrust = 'operator' | 'outside'

export type ResolveName = (
  host: string,
  signal?: AbortSignal,
) => Promise<{ address: string; family: number }[]>

/** @throws FetchFailure for a URL that is not permitted, before its name is resolved. */
export function requireUsableUrl(target: string, trust: UrlTrust): URL {
  const url = URL.parse(target)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && trust === 'operator')
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw fetchFailure('refused-url', url?.origin ?? 'an invalid URL')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A literal address is not looked up, so it is checked here.
  const isAllowed = isIP(host) === 0 || addressRule(url, trust)(host)
  if (!isAllowed || (trust === 'outside' && localName.test(host))) {
    throw fetchFailure('refused-url', url.origin)
  }
  return url
}

/** Returns the check of the addresses that a URL may resolve to. */
function addressRule(url: URL, trust: UrlTrust): (address: string) => boolean {
  if (trust === 'outside') return isGlobal
  return url.protocol === 'https:' ? () => true : isPrivate
}

/**
 * Reports whether an address belongs to a loopback or private network. False for a text that is not
 * an address.
 */
export function isPrivate(text: string): boolean {
  const address = readIpAddress(text)
  return address !== null && !isPublic(address)
}

/** Resolves a name with the system's resolver, which also reads its file of hosts. */
export const resolveName: ResolveName = (host) => lookup(host, { all: true })

/**
 * Resolves a name by DNS only. The system's resolver has two threads for the whole process, and an
 * abandoned lookup holds its thread: names without an answer would delay names of the operator.
 */
const resolveByDns: ResolveName = async (host, signal) => {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 })
  const cancel = () => resolver.cancel()
  signal?.addEventListener('abort', cancel)
  try {
    const results = await Promise.allSettled([
      resolver.resolve4(host).then((found) => found.map((address) => ({ address, family: 4 }))),
      resolver.resolve6(host).then((found) => found.map((address) => ({ address, family: 6 }))),
    ])
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    const [first] = results
    if (found.length === 0 && first.status === 'rejected') throw first.reason
    return found
  } finally {
    signal?.removeEventListener('abort', cancel)
  }
}

/** Returns the resolver of a URL's name. A name of the operator may be in the file of hosts. */
const resolverFor = (trust: UrlTrust): ResolveName =>
  trust === 'outside' ? resolveByDns : resolveName

/** Names that never leave the host. @see RFC 6761 §6.3 */
const localName = /(?:^|\.)localhost\.?$/i

/**
 * Requires a URL that may be stored for later requests. The addresses of its host are checked where
 * the name resolves in time; each request checks them again.
 *
 * @throws FetchFailure for a URL that is not permitted.
 */
export async function requireStorableUrl(
  target: string,
  trust: UrlTrust,
  resolve: ResolveName = resolverFor(trust),
): Promise<void> {
  const url = requireUsableUrl(target, trust)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  const isAllowed = addressRule(url, trust)
  const rejection = () => fetchFailure('refused-url', url.origin)
  // A canceled lookup returns the addresses that it has found.
  const work = resolve(host, AbortSignal.timeout(resolutionTimeMs * 0.75))
  const found = await withinTime(work, resolutionTimeMs, rejection).catch(() => [])
  if (!found.every(({ address }) => isAllowed(address))) throw rejection()
}

const resolutionTimeMs = 2_000

/**
 * Resolves a name and checks the addresses. The connection uses this result, so that no second
 * resolution can differ.
 */
export function checkedLookup(
  url: URL,
  trust: UrlTrust,
  signal: AbortSignal,
  resolve: ResolveName = resolverFor(trust),
): LookupFunction {
  const isAllowed = addressRule(url, trust)
  return (host, { all }, callback) => {
    const done = (found: { address: string; family: number }[]) => {
      const [first] = found
      // One address that is not permitted is sufficient to reject a name: a legitimate one has
      // none.
      if (!first || !found.every(({ address }) => isAllowed(address))) {
        callback(fetchFailure('refused-url', url.origin), [])
      } else if (all) callback(null, found)
      else callback(null, first.address, first.family)
    }
    resolve(host, signal).then(done, (error) => callback(error, []))
  }
}
