import { isRecord } from '../kit/is-record.ts'
import type { Config } from './config.ts'
import { providerNames } from './provider-names.ts'
import type { Report } from './report.ts'
import type { ResolvedProvider } from './sections/providers.ts'

/** The form of a provider's name, which is part of URLs and of environment names. */
const form = /^[a-z][a-z0-9_-]{0,48}$/

/** Names of identities that are not from providers. */
const taken = ['email', 'phone', 'web3', 'anonymous_users', 'sso']

/** Returns the names of the application's providers; reports invalid names. */
export function customProvidersIn(tree: Record<string, unknown>, report: Report): string[] {
  const providers = isRecord(tree['providers']) ? tree['providers'] : {}
  const known: readonly string[] = providerNames
  const defined = Object.entries(providers).filter(
    ([name, provider]) =>
      !known.includes(name) && isRecord(provider) && provider['definition'] !== undefined,
  )
  const names = defined.map(([name]) => name)
  for (const name of names) {
    if (form.test(name) && !taken.includes(name)) continue
    report.problem(
      `providers.${name}`,
      'must have a name of lower-case letters, digits, _ and -, and none that identities have already',
    )
  }
  return names.filter((name) => !name.includes('.'))
}

/** Returns the configuration of the provider with this name; null if it is not configured. */
export function findProviderConfig(
  { providers }: Pick<Config, 'providers'>,
  name: string,
): ResolvedProvider | null {
  const all: Readonly<Record<string, ResolvedProvider>> = providers
  return Object.hasOwn(all, name) ? (all[name] ?? null) : null
}
