import type { Glob } from '../../kit/glob.ts'
import { isLoopbackHost } from '../../kit/loopback.ts'
import type { Rule } from './rule.ts'

/** Warns of redirect targets without TLS, which receive tokens, where the site has TLS. */
export const warnOfUnencryptedTargets: Rule = ({ config, report }) => {
  const { development, siteUrl, redirects } = config
  if (development || URL.parse(siteUrl)?.protocol !== 'https:') return
  const texts = redirects.allowList
    .filter(({ scheme, authority }) => scheme === 'http' && authority && !isLoopback(authority))
    .map(({ text }) => text)
  for (const text of new Set(texts)) {
    report.warn(
      'redirects.allowList',
      `has ${JSON.stringify(text)}, which is not encrypted: tokens can be read on the network path`,
    )
  }
}

/** Returns whether a pattern permits hosts of this machine only. */
function isLoopback(authority: Glob): boolean {
  const text = authority.map((step) => (step.is === 'character' ? step.character : '*')).join('')
  return isLoopbackHost(text.replace(/:[\d*]*$/, ''))
}
