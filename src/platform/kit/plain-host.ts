import { isIP } from 'node:net'

const plainName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

/**
 * Returns whether a host name consists of letters, digits, dots and hyphens, in lower case. Parsers
 * of URLs accept others, such as `*` and `a;b`, which are syntax in headers and allow lists.
 */
export const isPlainName = (host: string): boolean => plainName.test(host)

/** Returns whether a host of a URL is a plain name or an IP address, for IPv6 in brackets. */
export const isPlainHost = (host: string): boolean =>
  isPlainName(host) || isIP(/^\[(.*)\]$/.exec(host)?.[1] ?? '') === 6

/** Returns whether an origin can be a source of a content security policy, without other effects. */
export function isPlainOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  return url !== null && url.origin === origin && isPlainHost(url.hostname)
}
