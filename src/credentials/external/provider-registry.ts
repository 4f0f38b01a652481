import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import type { Issuers } from './protocol/issuers.ts'
import type { Provider } from './provider.ts'

/** A provider that is registered while the service runs, bound to its client. */
export interface RegisteredProvider {
  provider: Provider
  settings: ResolvedProvider
  /** The documents that verify its ID tokens. */
  issuers: Issuers
}

/** A provider as pages show it. */
export interface ListedProvider {
  name: string
  /** The name that users know. */
  label: string
}

/** The providers that are registered while the service runs. */
export interface ProviderRegistry {
  /** Returns the provider with this name, in lower case, as it is at the moment; null without one. */
  find(name: string): Promise<RegisteredProvider | null>
  /** Returns the enabled providers, sorted by label. They may be some seconds old. */
  list(): Promise<readonly ListedProvider[]>
}

/** The prefix that clients write before the name of a provider that is not built in. */
export const customPrefix = 'custom:'
