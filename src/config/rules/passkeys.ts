import { isIP } from 'node:net'
import { isLoopbackHost } from '../../kit/loopback.ts'
import type { Rule } from './rule.ts'

/** Who lets people sign up by what nobody signs in with has forgotten the one or the other. */
export const requirePasskeysForSignUp: Rule = ({ config, report }) => {
  const { enabled, signUpEnabled } = config.passkeys
  if (signUpEnabled && !enabled) {
    report.problem('passkeys.signUpEnabled', 'does nothing while passkeys are off')
  }
}

/** Passkeys are bound to a domain, and used on pages of that domain alone: elsewhere browsers refuse them. */
export const requireRelyingParty: Rule = ({ config, report }) => {
  if (!config.passkeys.enabled || report.hasProblem('siteUrl')) return
  const { rpId, rpOrigins } = config.webAuthn
  if (report.hasProblem('webAuthn.rpId')) return
  if (rpId === '' || isIP(rpId.replace(/^\[|\]$/g, '')) !== 0) {
    report.problem(
      'webAuthn.rpId',
      'is required because passkeys are enabled: the domain of the pages that use them',
    )
    return
  }
  if (rpOrigins.length === 0 && !report.hasProblem('webAuthn.rpOrigins')) {
    report.problem('webAuthn.rpOrigins', 'is required because passkeys are enabled')
  }
  for (const origin of rpOrigins) {
    const problem = problemOfOrigin(rpId, origin)
    if (problem !== null) report.problem('webAuthn.rpOrigins', problem)
  }
}

/** Those of apps are no URLs. */
function problemOfOrigin(rpId: string, origin: string): string | null {
  const url = /^https?:/.test(origin) ? URL.parse(origin) : null
  if (!url) return null
  if (url.hostname !== rpId && !url.hostname.endsWith(`.${rpId}`)) {
    return `must be origins of ${rpId} or below it, and ${origin} is not: browsers refuse its passkeys there`
  }
  const isLocal = isLoopbackHost(url.hostname) || url.hostname.endsWith('.localhost')
  if (url.protocol === 'https:' || isLocal) return null
  return `must be origins of https, and ${origin} is not: browsers have no passkeys there`
}
