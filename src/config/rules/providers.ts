import type { ResolvedProvider } from '../sections/providers.ts'
import type { Rule, RuleContext } from './rule.ts'

/** A provider that is switched on must be able to work. */
export const requireProviderCredentials: Rule = (context) => {
  for (const [name, provider] of Object.entries(context.config.providers)) {
    if (provider.enabled) requireCredentials(context, name, provider)
  }
}

const appleKey = ['teamId', 'keyId', 'privateKey'].map((member) => `providers.apple.${member}`)

/** Apple's secret is signed by whoever configures it, or by us, with all that this takes. */
export const requireWholeAppleKey: Rule = ({ config, given, report }) => {
  if (!config.providers.apple.enabled || !appleKey.some(given.has)) return
  for (const path of appleKey) {
    if (!given.has(path))
      report.problem(path, 'is required: client secrets are signed with all three')
  }
  const secret = 'providers.apple.clientSecret'
  if (given.has(secret))
    report.problem(secret, 'is signed with the key already: leave one of them out')
}

function requireCredentials(
  { given, report }: RuleContext,
  name: string,
  provider: ResolvedProvider,
): void {
  const isSigned = name === 'apple' && appleKey.some(given.has)
  const needed = isSigned ? ['clientId'] : ['clientId', 'clientSecret']
  if (provider.redirectUri === null) needed.push('redirectUri')
  if (name === 'keycloak' && provider.definition === null) needed.push('url')
  const missing = needed
    .map((member) => `providers.${name}.${member}`)
    .filter((path) => !given.has(path))
  // Of `,` nothing is left.
  const clientId = `providers.${name}.clientId`
  if (given.has(clientId) && provider.clientIds.length === 0) missing.push(clientId)
  for (const path of missing) report.problem(path, `is required because ${name} is enabled`)
}

/** Who misspells a provider would have it share accounts with all others. */
export const requireKnownLinkingDomains: Rule = ({ config, report }) => {
  const known = Object.keys(config.providers)
  const { linkingDomains, ownLinkingDomains } = config.externalSignIn
  const named = { linkingDomains: Object.keys(linkingDomains), ownLinkingDomains }
  for (const [member, names] of Object.entries(named)) {
    for (const name of names) {
      if (known.includes(name.toLowerCase()) || name.startsWith('sso:')) continue
      report.problem(`externalSignIn.${member}`, `names no provider: ${name.slice(0, 50)}`)
    }
  }
}
