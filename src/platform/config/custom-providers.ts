import { isRecord } from '../kit/is-record.ts'
import type { Config } from './config.ts'
import { providerNames } from './provider-names.ts'
import type { Report } from './report.ts'
import type { ResolvedProvider } from './sections/providers.ts'

/** A provider's name travels in URLs, and stands in the environment of those who have one. */
const form = /^[a-z][a-z0-9_-]{0,48}$/

/** Names that identities have of their own accord. */
const taken = ['email', 'phone', 'web3', 'anonymous_users', 'sso']

/** The names of the providers that an application defines; those that cannot be names are reported. */
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

/** The provider with this name, where the configuration has one. */
export function findProviderConfig({ providers }: Config, name: string): ResolvedProvider | null {
  const all: Readonly<Record<string, ResolvedProvider>> = providers
  return Object.hasOwn(all, name) ? (all[name] ?? null) : null
}
