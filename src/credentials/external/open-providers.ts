import type { Config } from '../../platform/config/config.ts'
import { findProviderConfig } from '../../platform/config/custom-providers.ts'
import { enabledProviders } from '../../platform/config/enabled-providers.ts'
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
import type { Logger } from '../../platform/observability/logger.ts'
import { builtInProviders } from './built-in-providers.ts'
import { createIssuers, type Issuers } from './protocol/issuers.ts'
import {
  endpointsNotRead,
  profileNotRead,
  unsupportedProvider,
} from './protocol/provider-errors.ts'
import type { Fetch } from './protocol/request-provider.ts'
import {
  customPrefix,
  type ListedProvider,
  type Provider,
  type ProviderRegistry,
  type RegisteredProvider,
} from './provider.ts'

/** The external providers of a service. */
export interface Providers {
  /**
   * Returns the provider with this name, in any letter case. Loads it at its first use.
   *
   * @throws AuthError `validation_failed` (400) when it is unknown or disabled.
   */
  require(name: string): Promise<{ provider: Provider; settings: ResolvedProvider }>
  /**
   * Returns the registered provider with this name, in lower case; null without one, and where the
   * configuration has a provider of the same name.
   */
  findRegistered(name: string): Promise<RegisteredProvider | null>
  /** Returns every enabled provider: the configured ones, then the registered ones. */
  list(): Promise<readonly ListedProvider[]>
}

interface Needs {
  config: Config
  fetch: Fetch
  clock: Clock
  issuers: Issuers
  /** The providers that are registered while the service runs. */
  registries?: readonly ProviderRegistry[]
}

/**
 * Returns the name of a provider in the configuration. Clients write `custom:acme` for providers
 * that are not built in, since their types allow no other name.
 */
const providerNamed = (given: string): string => given.toLowerCase().replace(/^custom:/, '')

/**
 * Reports whether the configuration determines the provider behind a name with the prefix: it
 * defines one of this name, or enables a built-in one.
 */
export function isConfiguredProvider(config: Config, given: string): boolean {
  const settings = findProviderConfig(config, providerNamed(given))
  return settings !== null && (settings.enabled || settings.definition !== null)
}

/** Returns the configured and the registered providers. */
export function openProviders(needs: Needs): Providers {
  const opened = new Map<string, Provider>()
  const { config, registries = [] } = needs

  async function findRegistered(name: string): Promise<RegisteredProvider | null> {
    if (!name.startsWith(customPrefix) || isConfiguredProvider(config, name)) return null
    for (const registry of registries) {
      const found = await registry.find(name)
      if (found) return found
    }
    return null
  }

  async function requireProvider(given: string): ReturnType<Providers['require']> {
    const registered = await findRegistered(given.toLowerCase())
    if (registered) {
      const { provider, settings } = registered
      if (!settings.enabled) throw unsupportedProvider('provider is not enabled')
      return { provider: endingInTime(provider, providerTimeMsOf(config)), settings }
    }
    const name = providerNamed(given)
    const settings = findProviderConfig(config, name)
    if (!settings) throw unsupportedProvider('Provider could not be found')
    if (!settings.enabled) throw unsupportedProvider('provider is not enabled')
    const provider = opened.get(name) ?? (await openProvider(needs, name))
    opened.set(name, provider)
    return { provider, settings }
  }

  return {
    findRegistered,
    require: requireProvider,
    list: async () => {
      const configured = enabledProviders(config).map(async ([name]) => {
        const { provider } = await requireProvider(name)
        return { name, label: provider.label }
      })
      const registered = await Promise.all(registries.map((registry) => registry.list()))
      const reachable = registered.flat().filter(({ name }) => !isConfiguredProvider(config, name))
      return [...(await Promise.all(configured)), ...reachable]
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
  return endingInTime(bound, providerTimeMsOf(config))
}

/**
 * Limits the time of all requests to a provider together, so that they end before the request does.
 * A later result is discarded.
 */
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

/**
 * The part of a request's time for its provider; the rest is for the database. A timer waits for 24
 * days at most.
 */
const providerTimeMsOf = ({ server: { requestTimeoutSeconds } }: Config): number =>
  requestTimeoutSeconds === 0
    ? maxTimerMs
    : Math.min(maxTimerMs, requestTimeoutSeconds * 1000 * 0.85)

const maxTimerMs = 2 ** 31 - 1

/**
 * The time for one of the requests of a sign-in. There are three in sequence, at some providers
 * more: one that hangs leaves time for the others.
 */
export function timeoutMsOf({ outgoing, server }: Config): number {
  const { requestTimeoutSeconds } = server
  const third = requestTimeoutSeconds === 0 ? Infinity : (requestTimeoutSeconds * 1000) / 3.5
  return Math.floor(Math.min(outgoing.timeoutSeconds * 1000, third))
}

/** Returns the client of a provider. The check of the configuration rejects missing values. */
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

/** Returns the key that signs client secrets; null where the secret itself is configured. */
function signingKeyOf(provider: ResolvedProvider): ClientSigningKey | null {
  if (!('privateKey' in provider)) return null
  const { teamId, keyId, privateKey } = provider as ResolvedAppleProvider
  if (teamId === null || keyId === null || privateKey === null) return null
  return { teamId, keyId, privateKey }
}

interface IssuerNeeds {
  config: Config
  fetch: Fetch
  clock: Clock
  logger: Logger
}

/** Returns the published documents of issuers, cached as the configuration specifies. */
export const openIssuers = ({ config, ...needs }: IssuerNeeds): Issuers =>
  createIssuers({
    ...needs,
    timeoutMs: timeoutMsOf(config),
    storage: config.storage,
    cacheLifetimeMs: config.externalSignIn.discoveryLifetimeSeconds * 1000,
  })
