import { type IssuerRule, providerIssuers } from '../provider-issuers.ts'
import type { ResolvedProvider } from '../sections/providers.ts'
import type { Rule, RuleContext } from './rule.ts'

/** Requires the credentials of each enabled provider. */
export const requireProviderCredentials: Rule = (context) => {
  for (const [name, provider] of Object.entries(context.config.providers)) {
    if (provider.enabled) requireCredentials(context, name, provider)
  }
}

/** Warns of id tokens that are accepted without proof that this sign-in requested them. */
export const warnOfSkippedNonces: Rule = ({ config, report }) => {
  for (const [name, { enabled, skipNonceCheck }] of Object.entries(config.providers)) {
    if (!enabled || !skipNonceCheck) continue
    report.warn(
      `providers.${name}.skipNonceCheck`,
      'is true: an id token that another party has obtained is accepted once (OpenID Connect Core §15.5.2)',
    )
  }
}

const appleKey = ['teamId', 'keyId', 'privateKey'].map((member) => `providers.apple.${member}`)

/** Requires Apple's client secret, or all parts of the key that signs it. */
export const requireWholeAppleKey: Rule = ({ config, given, report }) => {
  if (!config.providers.apple.enabled || !appleKey.some(given.has)) return
  for (const path of appleKey) {
    if (!given.has(path))
      report.problem(path, 'is required: client secrets are signed with all three')
  }
  const secret = 'providers.apple.clientSecret'
  if (given.has(secret))
    report.problem(secret, 'is signed with the key already: remove one of them')
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
  // A value of `,` contains no client ID.
  const clientId = `providers.${name}.clientId`
  if (given.has(clientId) && provider.clientIds.length === 0) missing.push(clientId)
  for (const path of missing) report.problem(path, `is required because ${name} is enabled`)
}

/**
 * Requires each issuer to be that of an enabled provider, whose client IDs apply, or to have its
 * clients in this setting. A request determines neither (design.md rule 21).
 */
export const requireIssuerAudiences: Rule = ({ config, report }) => {
  const path = 'externalSignIn.allowedIdTokenIssuers'
  for (const [issuer, clients] of Object.entries(config.externalSignIn.allowedIdTokenIssuers)) {
    const served = Object.entries(config.providers).filter(([name, provider]) =>
      servesIssuer(name, provider, issuer),
    )
    const shown = issuer.slice(0, 200)
    const [first] = served.find(([, { enabled }]) => enabled) ?? served[0] ?? []
    const isServed = served.some(([, { enabled }]) => enabled)
    if (isServed && clients.length > 0) {
      report.warn(path, `has no effect for ${shown}: the client IDs of ${first} apply`)
    } else if (!isServed && first !== undefined) {
      report.problem(
        path,
        `names the issuer of ${first}, which is disabled (${shown}): ${issuerForm}`,
      )
    } else if (!isServed && clients.length === 0) {
      report.problem(path, `names no clients of ${shown}: ${issuerForm}`)
    }
  }
}

const issuerForm =
  "enable its provider, or write issuer=client[,client…] pairs separated by spaces; in code, { 'https://idp.example': ['client'] }"

function servesIssuer(name: string, provider: ResolvedProvider, issuer: string): boolean {
  const builtIn: Readonly<Record<string, IssuerRule>> = providerIssuers
  const rule = provider.definition ? provider.definition.idToken?.issuerOf : builtIn[name]
  if (rule === undefined) return false
  const { clientIds, url } = provider
  const client = { clientId: clientIds[0] ?? '', clientIds, clientSecret: '', redirectUri: '', url }
  return rule(issuer, client) !== null
}

/** Rejects a misspelled provider, which would share accounts with all others. */
export const requireKnownLinkingDomains: Rule = ({ config, report }) => {
  const known = Object.keys(config.providers)
  const { linkingDomains, ownLinkingDomains } = config.externalSignIn
  const named = { linkingDomains: Object.keys(linkingDomains), ownLinkingDomains }
  for (const [member, names] of Object.entries(named)) {
    for (const name of names) {
      if (known.includes(name.toLowerCase()) || /^(?:sso|custom):/.test(name)) continue
      report.problem(`externalSignIn.${member}`, `names no provider: ${name.slice(0, 50)}`)
    }
  }
}
