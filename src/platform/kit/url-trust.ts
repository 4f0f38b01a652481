import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { fetchFailure } from './fetch-failure.ts'
import { isGlobal, isPublic, readIpAddress } from './ip-address.ts'

/**
 * Who named a URL. The operator, in the configuration: `https:` anywhere, or `http:` to loopback and
 * private hosts. Anybody else, in a request, token, document or redirect: `https:` to the Internet.
 */
export type UrlTrust = 'operator' | 'outside'

export type ResolveName = (host: string) => Promise<{ address: string; family: number }[]>

/** @throws FetchFailure for a URL that may not be asked, as far as it tells by itself. */
export function requireUsableUrl(target: string, trust: UrlTrust): URL {
  const url = URL.parse(target)
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && trust === 'operator')
  if (!url || !isWeb || url.username !== '' || url.password !== '') {
    throw fetchFailure('refused-url', url?.origin ?? 'a text that is no URL')
  }
  const host = url.hostname.replace(/^\[|\]$/g, '')
  // A literal address is connected to without a lookup, so it is checked here.
  if (isIP(host) !== 0 && !addressRule(url, trust)(host)) {
    throw fetchFailure('refused-url', url.origin)
  }
  return url
}

/** Which addresses a URL may lead to. */
function addressRule(url: URL, trust: UrlTrust): (address: string) => boolean {
  if (trust === 'outside') return isGlobal
  return url.protocol === 'https:' ? () => true : isPrivate
}

/** Whether an address belongs to a loopback or private network. A text that is no address does not. */
export function isPrivate(text: string): boolean {
  const address = readIpAddress(text)
  return address !== null && !isPublic(address)
}

/** Resolves a name as the system does. */
export const resolveName: ResolveName = (host) => lookup(host, { all: true })

/**
 * Resolves a name and checks what it found, in the one place whose result is connected to: there is
 * no second resolution that could answer otherwise.
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
      // One address that is not allowed is enough to refuse a name: an honest one has none.
      if (!first || !found.every(({ address }) => isAllowed(address))) {
        callback(fetchFailure('refused-url', url.origin), [])
      } else if (all) callback(null, found)
      else callback(null, first.address, first.family)
    }
    resolve(host).then(done, (error) => callback(error, []))
  }
}
