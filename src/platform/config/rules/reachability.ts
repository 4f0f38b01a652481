import { hasAddressList } from '../../kit/ip-address.ts'
import { withoutTrailingSlashes } from '../../kit/trailing-slashes.ts'
import { type LinkMail, linkMailKinds } from '../../mails/mails.ts'
import type { Given } from '../read-settings.ts'
import type { Rule } from './rule.ts'

/**
 * Warns that links lack the path of the external URL unless it is configured for them. @see RFC
 * 3986 §5.2.2
 */
export const warnOfLostPath: Rule = ({ config, given, report }) => {
  const external = URL.parse(config.externalUrl)
  const mount = external ? withoutTrailingSlashes(external.pathname) : ''
  if (!external || mount === '' || report.hasProblem('externalUrl')) return
  const lost = linkMailKinds
    .map((name) => ({ name, path: config.email.urlPaths[name] }))
    .filter(({ name, path }) => !isBelow(mount, path) && !isPathGiven(given, name))
  const [first] = lost
  if (!first) return
  const hasRecovery = lost.some(({ name }) => name === 'recovery')
  const names = lost
    .filter(({ name }) => name !== 'magicLink' || !hasRecovery)
    .map(({ name }) => report.name(`email.urlPaths.${name}`))
  report.warn(
    'externalUrl',
    `has the path ${mount}, and links in mails lead to ${new URL(first.path, external).href} without it: ` +
      `set ${names.join(', ')} to ${mount}/verify`,
  )
}

/** Reports whether a path is set. Magic links have the path of recovery by default. */
const isPathGiven = (given: Given, name: LinkMail): boolean =>
  given.has(`email.urlPaths.${name}`) || (name === 'magicLink' && isPathGiven(given, 'recovery'))

const isBelow = (mount: string, path: string) => path.startsWith(`${mount}/`)

/**
 * Warns at start that limits per client need the proxy's header, or an explicit statement that
 * there is no proxy.
 */
export const warnOfUndeclaredProxy: Rule = ({ config, given, report }) => {
  if (config.development || config.security.svcForwardedForEnabled) return
  if (given.has('rateLimits.header')) return
  report.warn(
    'rateLimits.header',
    'is not set. Behind a proxy, set it to the header with the address of the client, such as ' +
      'x-forwarded-for: limits per client have no effect until then. Without a proxy, set it to off',
  )
}

/** Warns of skipped addresses where the header of clients contains no list of addresses. */
export const warnOfIdleHops: Rule = ({ config, report }) => {
  const { header, proxyHops } = config.rateLimits
  if (proxyHops === 0 || report.hasProblem('rateLimits.header')) return
  if (header !== null && hasAddressList(header)) return
  report.warn(
    'rateLimits.proxyHops',
    `has no effect: ${report.name('rateLimits.header')} is no header with a list, such as x-forwarded-for`,
  )
}

/**
 * Warns of a forwarding header that is read although the configuration states that no proxy sets
 * it.
 */
export const warnOfForwardingWithoutProxy: Rule = ({ config, given, report }) => {
  const { security, rateLimits, development } = config
  if (development || !security.svcForwardedForEnabled || report.hasProblem('rateLimits.header'))
    return
  if (!given.has('rateLimits.header') || rateLimits.header !== null) return
  report.warn(
    'security.svcForwardedForEnabled',
    `is true, and ${report.name('rateLimits.header')} is off: without a proxy that sets ` +
      'Svc-Forwarded-For, each client chooses the address under which it is limited',
  )
}
