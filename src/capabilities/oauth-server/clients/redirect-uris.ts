import { isPlainHost } from '../../../platform/kit/plain-host.ts'
import { isStorable } from '../../../platform/kit/storable-text.ts'
import {
  isWebScheme,
  launchesOthers,
  leadsToApplication,
} from '../../../platform/kit/url-scheme.ts'
import type { TableFragments } from '../../../platform/sql/tables.ts'

/** Longer URIs are rejected, of any kind. */
export const maxUriLength = 2048

/** Such a host would be syntax in the headers of the consent page. */
export const hostProblem = 'must have a host of letters, digits, dots and hyphens, or an IP address'

const loopbackHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Returns the reason why a client may not have a redirect URI; null for one that it may have.
 *
 * @see RFC 9700 §2.1, RFC 8252 §7
 */
export function problemOfRedirectUri(uri: unknown): string | null {
  if (typeof uri !== 'string' || uri === '') return 'has to be a URI'
  if (uri.length > maxUriLength) return `cannot be longer than ${maxUriLength} characters`
  // Control characters, white space and backslashes are read differently by different parsers.
  if (!isStorable(uri) || !/^[!-~]+$/.test(uri) || /[\\<>"^`{}|]/.test(uri)) {
    return 'holds characters that a URI cannot contain'
  }
  const scheme = /^([a-z][a-z\d+.-]*):/i.exec(uri)?.[1]?.toLowerCase()
  const url = URL.parse(uri)
  if (scheme === undefined || !url) return 'has to be an absolute URI'
  if (uri.includes('#')) return 'cannot contain a fragment'
  if (!leadsToApplication(scheme) || launchesOthers(scheme))
    return `cannot have the scheme ${scheme}`
  const afterScheme = uri.slice(scheme.length + 1)
  if (isWebScheme(scheme)) {
    if (!/^\/\/[^/?]/.test(afterScheme) || url.hostname === '') return 'needs a host'
    if (!isPlainHost(url.hostname)) return hostProblem
    if (
      url.username !== '' ||
      url.password !== '' ||
      afterScheme.split(/[/?]/, 3)[2]?.includes('@')
    )
      return 'cannot contain credentials'
    if (scheme === 'http' && !isLoopback(url)) {
      return 'has to use https, except on localhost, 127.0.0.1 and [::1]'
    }
    return null
  }
  if (afterScheme.startsWith('//')) return /^\/\/[^/?]/.test(afterScheme) ? null : 'needs a host'
  // A private-use scheme is a domain of the client in reverse order. @see RFC 8252 §7.1
  return scheme.includes('.') && afterScheme.startsWith('/') ? null : 'needs a host'
}

/**
 * Returns whether a requested redirect URI is one of a client's: it is equal, or it differs in the
 * port of a loopback address only, which a native application chooses when it starts.
 *
 * @see RFC 8252 §7.3, RFC 9700 §2.1
 */
export const isRedirectOf = (registered: readonly string[], requested: string): boolean =>
  registered.includes(requested) || isOnOtherPort(registered, requested)

function isOnOtherPort(registered: readonly string[], requested: string): boolean {
  const anyPort = withoutPort(requested)
  return anyPort !== null && registered.some((uri) => withoutPort(uri) === anyPort)
}

/** The scheme and host of a URI over http, its port, and the rest, as written. */
const plainHttp =
  /^(http:\/\/(?:[^\\/?#@:[\]]+|\[[^\\/?#@[\]]*\]))(?::(\d{1,5}))?((?:[/?][!-~]*)?)$/i

function withoutPort(uri: string): string | null {
  const [, host, port, rest] = plainHttp.exec(uri) ?? []
  if (host === undefined || Number(port ?? 1) > 65_535 || rest?.includes('#')) return null
  return isLoopback(URL.parse(uri)) ? `${host.toLowerCase()}${rest}` : null
}

/** Returns whether a URL leads to this machine, in any spelling of its host, as `http://127.1`. */
const isLoopback = (url: URL | null): boolean =>
  url?.protocol === 'http:' && loopbackHosts.has(url.hostname)

/** Whether a redirect URI leads to this machine or to an installed application. */
export const isNative = (uri: string): boolean =>
  isLoopback(URL.parse(uri)) || opensApplication(uri)

/**
 * Returns whether a redirect URI opens an installed application by its scheme. A link to the
 * service must not pass parameters to it before the user has seen which client requests it.
 *
 * @see RFC 9700 §4.11.2
 */
export const opensApplication = (uri: string): boolean =>
  !isWebScheme(URL.parse(uri)?.protocol.slice(0, -1) ?? '')

/**
 * Returns the party that receives a code at a redirect URI: scheme and host, without the port of a
 * loopback address, which changes. {@link destinationInSql} returns the same.
 */
export const destinationIn = (uri: string): string =>
  (/^[^:/?#]+:(?:\/\/[^/?#]*)?/.exec(uri)?.[0] ?? uri).replace(/^(http:.*):[0-9]+$/, '$1')

/** Returns {@link destinationIn} as an expression on a redirect URI. */
export const destinationInSql = (uri: string): string =>
  `regexp_replace(substring(${uri}, '^[^:/?#]+:(?://[^/?#]*)?'), '^(http:.*):[0-9]+$', '\\1')`

/**
 * Returns a condition on a stored request: its redirect URI, which was valid before, is still one
 * of its client's. One over http leads to the machine of the user, at any port; a device has none.
 */
export const isRegisteredInSql = (sql: TableFragments, request: string): string => {
  const uri = `${request}.request ->> 'redirect_uri'`
  return `(${request}.request ? 'interval' or (${uri}) ~* '^http:' or exists (
        select from ${sql.table('oauth_clients')} c
        where c.id = ${request}.client_id and c.redirect_uris ? (${uri})))`
}

/** Adds parameters to a redirect URI, whose own query stays as it is. */
export function withParameters(
  uri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  if (given.length === 0) return uri
  const query = new URLSearchParams(given as [string, string][]).toString()
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}

/**
 * Adds a fragment to a URL of a client. A browser that another redirect has sent here would keep
 * its fragment, which may contain the tokens of a sign-in.
 *
 * @see RFC 9700 §4.1.3
 */
export const withOwnFragment = (url: string): string => `${url}#_`
