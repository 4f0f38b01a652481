import type { Config } from '../config/config.ts'

/** Which providers share verified addresses with one: an address leads to an account within its domain alone. */
export interface LinkingDomain {
  /** Whether the provider is kept apart from most others. */
  isApart: boolean
  /** Where it is, the providers of its domain; else those that are kept apart from it. */
  apart: readonly string[]
}

/** The linking domain of a provider: the one that the configuration names, else that of all others. */
export function linkingDomainOf(
  { externalSignIn: { linkingDomains, ownLinkingDomains } }: Pick<Config, 'externalSignIn'>,
  provider: string,
): LinkingDomain {
  const domains = new Map(
    [
      ...ownLinkingDomains.map((name) => [name, name.toLowerCase()] as const),
      ...Object.entries(linkingDomains),
    ].map(([name, domain]) => [name.toLowerCase(), domain]),
  )
  const own = domains.get(provider) ?? defaultDomain
  const isApart = own !== defaultDomain
  const apart = [...domains].filter(([, domain]) =>
    isApart ? domain === own : domain !== defaultDomain,
  )
  return { isApart, apart: apart.map(([name]) => name) }
}

const defaultDomain = 'default'
