import type { Config } from '../../platform/config/config.ts'
import type { User } from './user.ts'

/**
 * The providers that share verified addresses: an address leads to an account within its domain
 * only.
 */
export interface LinkingDomain {
  /** Whether the provider is outside the default domain. */
  isApart: boolean
  /** The providers of the domain; for the default domain, those outside it. */
  apart: readonly string[]
  /** Within the provider, the domain of one organization; null for none. */
  linkingDomain: string | null
}

/** The source of an asserted address: a provider, or the directory of one of its organizations. */
export interface AddressSource {
  provider: string
  linkingDomain: string | null
}

type Needs = Pick<Config, 'externalSignIn'>

/**
 * Returns the linking domain of an address source: that of the organization, else the one that the
 * configuration names for the provider, else the default domain.
 */
export function linkingDomainOf(
  { externalSignIn: { linkingDomains, ownLinkingDomains } }: Needs,
  { provider, linkingDomain }: AddressSource,
): LinkingDomain {
  if (linkingDomain !== null) return { isApart: true, apart: [provider], linkingDomain }
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
  return { isApart, apart: apart.map(([name]) => name), linkingDomain }
}

const defaultDomain = 'default'

/**
 * Returns whether a source proves addresses of a user. A source outside the default domain proves
 * addresses only for the accounts in its own domain: another account would own the address among
 * all other providers.
 */
export const provesAddressOf = (
  config: Needs,
  { isSsoUser }: Pick<User, 'isSsoUser'>,
  source: AddressSource,
): boolean => isSsoUser || !linkingDomainOf(config, source).isApart
