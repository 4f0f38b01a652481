import { isIP } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { TargetPattern } from '../../platform/config/sections/site.ts'
import { matchesGlob } from '../../platform/kit/glob.ts'
import { isLoopbackHost } from '../../platform/kit/ip-address.ts'
import { isPlainName } from '../../platform/kit/plain-host.ts'
import { isWebScheme, leadsToApplication } from '../../platform/kit/url-scheme.ts'

/** The reason why a target is not permitted, in words for operators. */
export type RedirectRefusal =
  | MalformedTarget
  | 'its host is an IP address'
  | 'its host holds odd characters'
  | 'it is the site without TLS'
  | 'it is the site on another port'
  | 'it is neither the site nor on the allow list'
  | 'it is an endpoint of this service that redirects to others'

/** The decision on a target, and the rule that permits it or the reason against it. */
export type RedirectDecision =
  | { allowed: true; rule: 'site' }
  | { allowed: true; rule: 'allow list'; pattern: string }
  | { allowed: false; reason: RedirectRefusal }

export type RedirectSettings = Pick<Config, 'siteUrl' | 'redirects' | 'externalUrl'> & {
  email: Pick<Config['email'], 'externalHosts'>
}

/**
 * Decides whether browsers may be redirected to a target with tokens. No other function decides it.
 *
 * @see RFC 9700 §4.11
 */
export function explainRedirect(settings: RedirectSettings, candidate: string): RedirectDecision {
  const target = readTarget(candidate)
  if (typeof target === 'string') return { allowed: false, reason: target }
  if (redirectsToOthers(settings, target)) {
    return { allowed: false, reason: 'it is an endpoint of this service that redirects to others' }
  }
  const difference = differenceFromSite(settings.siteUrl, target)
  if (difference === null) return { allowed: true, rule: 'site' }
  const obstacle = obstacleToListing(target)
  if (obstacle !== null) return { allowed: false, reason: obstacle }
  const pattern = settings.redirects.allowList.find((one) => fits(one, target))
  if (pattern) return { allowed: true, rule: 'allow list', pattern: pattern.text }
  return { allowed: false, reason: difference }
}

/** The endpoints that redirect to clients and providers, whose owners may be attackers. */
const redirecting: ReadonlySet<string> = new Set(['authorize', 'oauth/authorize', 'oauth/logout'])

/**
 * Returns whether a target is an endpoint of the service that redirects to other hosts. Browsers
 * keep the fragment of a redirect, so these hosts would receive the tokens in it.
 *
 * @see RFC 9700 §4.1.3, §4.11
 */
function redirectsToOthers(
  { externalUrl, email }: RedirectSettings,
  { scheme, host, port, rest }: Target,
): boolean {
  const own = URL.parse(externalUrl)
  if (!own || !isWebScheme(scheme)) return false
  const areLocal = isLocal(own.hostname) && isLocal(host)
  const isOwn =
    ((areLocal || own.hostname === host) && own.port === port) ||
    email.externalHosts.includes(port === '' ? host : `${host}:${port}`)
  const [mount, path] = [plainPath(own.pathname), plainPath(rest.replace(/\?.*$/, ''))]
  const isInMount = mount === '' || path.startsWith(`${mount}/`)
  return isOwn && isInMount && redirecting.has(path.slice(mount === '' ? 0 : mount.length + 1))
}

/** Returns a path as any server may read it: decoded, in lower case, without repeated slashes. */
function plainPath(path: string): string {
  let plain = path
  for (let times = 0; times < 3; times += 1) {
    plain = plain.replace(/%([0-7][0-9a-f])/gi, (_, hex) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    )
  }
  return plain
    .toLowerCase()
    .split('/')
    .map((segment) => segment.replace(/;.*$/, ''))
    .filter((segment) => segment !== '')
    .join('/')
}

function differenceFromSite(siteUrl: string, target: Target): RedirectRefusal | null {
  const site = URL.parse(siteUrl)
  const scheme = site?.protocol.slice(0, -1) ?? ''
  const areWeb = isWebScheme(scheme) && isWebScheme(target.scheme)
  // All names of the local machine are one host, where developers run several servers.
  const areLocal = areWeb && isLocal(site?.hostname ?? '') && isLocal(target.host)
  const isHost = areLocal || site?.hostname === target.host
  if (!site || !isHost || !(areWeb || scheme === target.scheme)) {
    return 'it is neither the site nor on the allow list'
  }
  // A token must not be sent in clear text where the site itself uses TLS.
  if (scheme !== target.scheme && target.scheme !== 'https') return 'it is the site without TLS'
  return areLocal || site.port === target.port ? null : 'it is the site on another port'
}

/** `0.0.0.0` and `[::]` are the addresses that servers print; browsers accept them, too. */
const isLocal = (host: string): boolean =>
  isLoopbackHost(host) || host === '0.0.0.0' || host === '[::]'

/** Returns the reason why no list can permit a target. An IP address has no permanent owner. */
function obstacleToListing({ scheme, host }: Target): RedirectRefusal | null {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (isLoopbackHost(host)) return null
  if (isIP(address) || /^\d+$/.test(host)) return 'its host is an IP address'
  return isWebScheme(scheme) && !isPlainName(host) ? 'its host holds odd characters' : null
}

const fits = (pattern: TargetPattern, { scheme, authority, rest }: Target): boolean =>
  pattern.scheme === scheme &&
  (authority === null || pattern.authority === null
    ? authority === pattern.authority
    : matchesGlob(pattern.authority, authority)) &&
  matchesGlob(pattern.rest, rest)

/** The reason why a text is no valid target, whatever the configuration permits. */
export type MalformedTarget =
  | 'it is empty'
  | 'it is longer than 4,096 characters'
  | 'it holds a backslash, white space or an invisible character'
  | 'it is no absolute URL'
  | 'its scheme leads to no application'
  | 'it names a user'
  | 'its host is written in an unusual way'
  | 'its path leads upwards'

/** The parts of a target as it was written. */
export interface Target {
  /** Lower-case, without `:`. */
  scheme: string
  /** Host and port, in lower case for web schemes; null where the URL has none. */
  authority: string | null
  /** The host without port; empty where the URL has none. */
  host: string
  /** Empty for the default port of the scheme. */
  port: string
  /** Path and query. */
  rest: string
}

/** The number of characters that a redirect target may have. */
export const maxTargetLength = 4096

/**
 * Control, format, unassigned and surrogate characters, separators of any script, and the
 * backslash.
 */
const unseen = /[\p{C}\p{Z}\\]/u

const form = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^#]*)/i

/**
 * Reads a target. Each parser repairs unusual URLs in its own way, and a browser must not be
 * redirected to another host than the one that was checked. So unusual forms are rejected, and the
 * host must be written in its normal form.
 */
export function readTarget(text: string): Target | MalformedTarget {
  if (text === '') return 'it is empty'
  if (text.length > maxTargetLength) return 'it is longer than 4,096 characters'
  if (unseen.test(text)) return 'it holds a backslash, white space or an invisible character'
  const url = URL.parse(text)
  const [, scheme = '', written, rest = ''] = form.exec(text) ?? []
  const isWeb = isWebScheme(scheme.toLowerCase())
  if (url === null || (isWeb && !written)) return 'it is no absolute URL'
  if (!leadsToApplication(scheme.toLowerCase())) return 'its scheme leads to no application'
  if (written?.includes('@')) return 'it names a user'
  const authority = (isWeb ? written?.toLowerCase() : written) ?? null
  const host = authority?.replace(/:\d*$/, '') ?? ''
  // A glob takes a `:` without a port for part of the host; a browser ignores it.
  const isOdd = url.hostname !== host || authority?.endsWith(':')
  if (isOdd) return 'its host is written in an unusual way'
  if (leadsUpwards(rest)) return 'its path leads upwards'
  return { scheme: scheme.toLowerCase(), authority, host, port: url.port, rest }
}

/**
 * Returns whether a server might read `..` in the path: in letters, percent-encoded once or more
 * often, or with a parameter that some servers remove.
 */
function leadsUpwards(rest: string): boolean {
  const path = rest.replace(/\?.*$/, '').replace(/%(?:25)+/g, '%')
  const segments = path.replace(/%2e/gi, '.').split(/\/|%2f|%5c/i)
  return segments.some((segment) => /^\.\.?(?:;|%3b|$)/i.test(segment))
}
