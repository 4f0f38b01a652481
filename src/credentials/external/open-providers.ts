import type { Config } from '../../platform/config/config.ts'
import { findProviderConfig } from '../../platform/config/custom-providers.ts'
import type { ProviderName } from '../../platform/config/provider-names.ts'
import type {
  ClientSigningKey,
  ProviderClient,
} from '../../platform/config/sections/provider-definition.ts'
import type {
  ResolvedAppleProvider,
  ResolvedProvider,
  ResolvedWorkosProvider,
} from '../../platform/config/sections/providers.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { withinTime } from '../../platform/kit/within-time.ts'
import { builtInProviders } from './built-in-providers.ts'
import type { Fetch } from './protocol/ask-provider.ts'
import type { Issuers } from './protocol/issuers.ts'
import {
  endpointsNotRead,
  profileNotRead,
  unsupportedProvider,
} from './protocol/provider-errors.ts'
import type { Provider } from './provider.ts'

/** The external providers of a service. */
export interface Providers {
  /**
   * The provider of this name, in whatever letter case. What it takes is loaded when it is first asked for.
   *
   * @throws AuthError `validation_failed` (400) when nobody knows it, or it is switched off.
   */
  require(name: string): Promise<{ provider: Provider; settings: ResolvedProvider }>
}

interface Needs {
  config: Config
  fetch: Fetch
  clock: Clock
  issuers: Issuers
}

/**
 * The name of a provider as the configuration has it. Clients call those that they do not know `custom:acme`: their types
 * allow no other name.
 */
const providerNamed = (given: string): string => given.toLowerCase().replace(/^custom:/, '')

/** The providers that are configured. */
export function openProviders(needs: Needs): Providers {
  const opened = new Map<string, Provider>()
  return {
    require: async (given) => {
      const name = providerNamed(given)
      const settings = findProviderConfig(needs.config, name)
      if (!settings) throw unsupportedProvider('Provider could not be found')
      if (!settings.enabled) throw unsupportedProvider('provider is not enabled')
      const provider = opened.get(name) ?? (await openProvider(needs, name))
      opened.set(name, provider)
      return { provider, settings }
    },
  }
}

async function openProvider({ config, issuers, ...needs }: Needs, name: string): Promise<Provider> {
  const settings = findProviderConfig(config, name)
  const provider = settings?.definition ?? (await builtInProviders[name as ProviderName]?.())
  if (!settings || !provider) {
    throw unsupportedProvider('Provider could not be found')
  }
  const { bindProvider } = await import('./bind-provider.ts')
  const access = { ...needs, timeoutMs: timeoutMsOf(config), issuers }
  const bound = bindProvider(access, name, provider, clientOf(settings))
  return endingInTime(bound, journeyMsOf(config))
}

/** However often a provider has to be asked: all of it ends before the request does, and what comes later is dropped. */
const endingInTime = (provider: Provider, timeoutMs: number): Provider => ({
  ...provider,
  createAuthorizationUrl: (order) =>
    withinTime(provider.createAuthorizationUrl(order), timeoutMs, () =>
      endpointsNotRead(tooLate()),
    ),
  requireIssuer: (response) =>
    withinTime(provider.requireIssuer(response), timeoutMs, () => endpointsNotRead(tooLate())),
  handleCallback: (callback) =>
    withinTime(provider.handleCallback(callback), timeoutMs, () => profileNotRead(tooLate())),
})

const tooLate = () => new Error('the provider took too long')

/** What is left of a request is for the database. A timer waits for no longer than 24 days. */
const journeyMsOf = ({ server: { requestTimeoutSeconds } }: Config): number =>
  requestTimeoutSeconds === 0
    ? maxTimerMs
    : Math.min(maxTimerMs, requestTimeoutSeconds * 1000 * 0.85)

const maxTimerMs = 2 ** 31 - 1

/** A sign-in asks three times, one after the other, more often at some providers: one that hangs leaves time for others. */
export function timeoutMsOf({ outgoing, server }: Config): number {
  const { requestTimeoutSeconds } = server
  const third = requestTimeoutSeconds === 0 ? Infinity : (requestTimeoutSeconds * 1000) / 3.5
  return Math.floor(Math.min(outgoing.timeoutSeconds * 1000, third))
}

/** What is missing was refused when the configuration was checked. */
export const clientOf = (settings: ResolvedProvider): ProviderClient => {
  const { clientIds, clientSecret, redirectUri, url } = settings
  return {
    clientId: clientIds[0] ?? '',
    clientIds,
    clientSecret: clientSecret ?? '',
    redirectUri: redirectUri ?? '',
    signingKey: signingKeyOf(settings),
    url: url?.replace(/\/$/, '') ?? null,
    organizations: organizationsOf(settings),
  }
}

const organizationsOf = (provider: ResolvedProvider): ResolvedWorkosProvider['organizations'] =>
  'organizations' in provider ? (provider as ResolvedWorkosProvider).organizations : {}

/** The key that client secrets are made with; null where the secret itself was configured. */
function signingKeyOf(provider: ResolvedProvider): ClientSigningKey | null {
  if (!('privateKey' in provider)) return null
  const { teamId, keyId, privateKey } = provider as ResolvedAppleProvider
  if (teamId === null || keyId === null || privateKey === null) return null
  return { teamId, keyId, privateKey }
}
