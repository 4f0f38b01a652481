import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { fetchFailure } from './fetch-failure.ts'
import { isGlobal, isPublic, readIpAddress } from './ip-address.ts'
import { withinTime } from './within-time.ts'

/**
 * The origin of a URL. `operator`, from the configuration: `https:` to any host, or `http:` to
 * loopback and private hosts. `outside`, from a request, token, document or redirect: `https:` to
 * public hosts.
 */
export type UrlTrust = 'operator' | 'outside'

export type ResolveName = (host: string) => Promise<{ address: string; family: number }[]>

/** @throws FetchFailure for a URL that is not permitted, before its name is resolved. */
export function requireUsableUrl(target: string, trust: UrlTrust): URL {
  const url = URL.parse(target)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && trust === 'operator')
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw fetchFailure('refused-url', url?.origin ?? 'an invalid URL')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A literal address is not looked up, so it is checked here.
  if (isIP(host) !== 0 && !addressRule(url, trust)(host)) {
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

/** Resolves a name with the system's resolver. */
export const resolveName: ResolveName = (host) => lookup(host, { all: true })

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
  resolve: ResolveName = resolveName,
): Promise<void> {
  const url = requireUsableUrl(target, trust)
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return
  const isAllowed = addressRule(url, trust)
  const rejection = () => fetchFailure('refused-url', url.origin)
  if (trust === 'outside' && localName.test(host)) throw rejection()
  const found = await withinTime(resolve(host), resolutionTimeMs, rejection).catch(() => [])
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
  resolve: ResolveName = resolveName,
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
    resolve(host).then(done, (error) => callback(error, []))
  }
}
