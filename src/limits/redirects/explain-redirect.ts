import { isIP } from 'node:net'
import type { Config } from '../../platform/config/config.ts'
import type { TargetPattern } from '../../platform/config/sections/redirects.ts'
import { matchesGlob } from '../../platform/kit/glob.ts'
import { isLoopbackHost } from '../../platform/kit/loopback.ts'
import { isWebScheme } from '../../platform/kit/url-scheme.ts'
import { type MalformedTarget, readTarget, type Target } from './target.ts'

/** The reason why a target is not permitted, in words for operators. */
export type RedirectRefusal =
  | MalformedTarget
  | 'its host is an IP address'
  | 'its host holds odd characters'
  | 'it is the site without TLS'
  | 'it is the site on another port'
  | 'it is neither the site nor on the allow list'

/** The decision on a target, and the rule that permits it or the reason against it. */
export type RedirectDecision =
  | { allowed: true; rule: 'site' }
  | { allowed: true; rule: 'allow list'; pattern: string }
  | { allowed: false; reason: RedirectRefusal }

export type RedirectSettings = Pick<Config, 'siteUrl' | 'redirects'>

/**
 * Decides whether browsers may be redirected to a target with tokens. No other function decides it.
 *
 * @see RFC 9700 §4.11
 */
export function explainRedirect(settings: RedirectSettings, candidate: string): RedirectDecision {
  const target = readTarget(candidate)
  if (typeof target === 'string') return { allowed: false, reason: target }
  const difference = differenceFromSite(settings.siteUrl, target)
  if (difference === null) return { allowed: true, rule: 'site' }
  const obstacle = obstacleToListing(target)
  if (obstacle !== null) return { allowed: false, reason: obstacle }
  const pattern = settings.redirects.allowList.find((one) => fits(one, target))
  if (pattern) return { allowed: true, rule: 'allow list', pattern: pattern.text }
  return { allowed: false, reason: difference }
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

const plainHost = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

/** Returns the reason why no list can permit a target. An IP address has no permanent owner. */
function obstacleToListing({ scheme, host }: Target): RedirectRefusal | null {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (isLoopbackHost(host)) return null
  if (isIP(address) || /^\d+$/.test(host)) return 'its host is an IP address'
  return isWebScheme(scheme) && !plainHost.test(host) ? 'its host holds odd characters' : null
}

const fits = (pattern: TargetPattern, { scheme, authority, rest }: Target): boolean =>
  pattern.scheme === scheme &&
  (authority === null || pattern.authority === null
    ? authority === pattern.authority
    : matchesGlob(pattern.authority, authority)) &&
  matchesGlob(pattern.rest, rest)
