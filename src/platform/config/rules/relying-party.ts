import { isIP } from 'node:net'
import { isLoopbackHost } from '../../kit/ip-address.ts'
import type { Config } from '../config.ts'
import type { Rule } from './rule.ts'

/**
 * Requires a domain for credentials, and origins on that domain: browsers reject them elsewhere.
 */
export const requireRelyingParty: Rule = ({ config, report }) => {
  const credentials = credentialsOf(config)
  if (credentials === null || report.hasProblem('siteUrl')) return
  const { rpId, rpOrigins } = config.webAuthn
  if (report.hasProblem('webAuthn.rpId')) return
  if (rpId === '' || isIP(rpId.replace(/^\[|\]$/g, '')) !== 0) {
    report.problem(
      'webAuthn.rpId',
      `is required because ${credentials} are enabled: the domain of the pages that use them`,
    )
    return
  }
  if (rpOrigins.length === 0 && !report.hasProblem('webAuthn.rpOrigins')) {
    report.problem('webAuthn.rpOrigins', `is required because ${credentials} are enabled`)
  }
  for (const origin of rpOrigins) {
    const problem = problemOfOrigin(rpId, origin, credentials)
    if (problem !== null) report.problem('webAuthn.rpOrigins', problem)
  }
}

/** Returns the enabled credentials that are bound to the relying party; null if there are none. */
function credentialsOf({ passkeys, mfa: { webAuthn } }: Config): string | null {
  if (passkeys.enabled) return 'passkeys'
  return webAuthn.enrollEnabled || webAuthn.verifyEnabled ? 'security keys' : null
}

/** Returns the problem of an origin; null for origins of apps, which are not URLs. */
function problemOfOrigin(rpId: string, origin: string, credentials: string): string | null {
  const url = /^https?:/.test(origin) ? URL.parse(origin) : null
  if (!url) return null
  if (url.hostname !== rpId && !url.hostname.endsWith(`.${rpId}`)) {
    return `must be origins of ${rpId} or below it, and ${origin} is not: browsers refuse its ${credentials} there`
  }
  const isLocal = isLoopbackHost(url.hostname) || url.hostname.endsWith('.localhost')
  if (url.protocol === 'https:' || isLocal) return null
  return `must be origins of https, and ${origin} is not: browsers have no ${credentials} there`
}
