import type { Config } from '../../platform/config/config.ts'
import { findProviderConfig } from '../../platform/config/custom-providers.ts'
import type { ProviderName } from '../../platform/config/provider-names.ts'
import type {
  IdTokenRules,
  ProviderClient,
  ProviderDefinition,
} from '../../platform/config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import { builtInProviders } from './built-in-providers.ts'
import { providerNotEnabled, unknownIdTokenProvider } from './id-token-errors.ts'
import { clientOf, type Providers } from './open-providers.ts'
import type { Issuers } from './protocol/issuers.ts'

/** A provider whose id tokens are accepted, and the rules that verify them. */
export interface IdTokenProvider {
  /** The name in identities. */
  name: string
  /** The name that users read. */
  label: string
  rules: IdTokenRules
  client: ProviderClient
  /** The accepted audiences. A token must be for one of them. */
  audiences: readonly string[]
  settings: IdTokenSettings
  /** The documents of a registered provider; absent for a provider of the configuration. */
  issuers?: Issuers
}

export type IdTokenSettings = Pick<
  ResolvedProvider,
  'emailOptional' | 'skipNonceCheck' | 'signUpDisabled' | 'mapProfile'
>

/** The members of a request that select the provider of its token. */
export interface IdTokenChoice {
  provider?: string | undefined
  issuer?: string | undefined
  clientId?: string | undefined
}

/**
 * Finds the provider of a request by its name, else by its issuer, else an issuer that the
 * configuration allows without a provider.
 *
 * @throws AuthError `provider_disabled` (400) for a disabled provider, `validation_failed` (400)
 *   for an unknown one or one that issues no id tokens.
 */
export async function findIdTokenProvider(
  { config, providers }: { config: Config; providers: Pick<Providers, 'findRegistered'> },
  choice: IdTokenChoice,
): Promise<IdTokenProvider> {
  const { provider = '', issuer = '', clientId = '' } = choice
  const registered = await findRegistered(providers, provider)
  if (registered) return registered
  const found =
    (await findByName(config, provider)) ??
    (issuer === '' ? null : await findByIssuer(config, issuer))
  if (found) {
    if (!found.settings.enabled)
      throw providerNotEnabled(isIssuerOf(found, issuer) ? issuer : found.name)
    return toProvider(config, found)
  }
  const audiences = audiencesOf(config, issuer)
  if (clientId === '' || audiences.length === 0) {
    throw unknownIdTokenProvider(findProviderConfig(config, provider) ? provider : null)
  }
  return {
    name: issuer,
    label: issuer,
    rules: { issuerOf: (named) => (named === issuer ? issuer : null) },
    client: {
      clientId: audiences[0] ?? '',
      clientIds: audiences,
      clientSecret: '',
      redirectUri: '',
      url: null,
    },
    // The request selects one of the configured clients, and cannot name another.
    audiences: audiences.filter((audience) => audience === clientId),
    settings: {
      emailOptional: false,
      skipNonceCheck: false,
      signUpDisabled: false,
      mapProfile: null,
    },
  }
}

/** Returns the clients that the operator configured for an issuer without a provider. */
function audiencesOf({ externalSignIn }: Config, issuer: string): readonly string[] {
  const { allowedIdTokenIssuers: allowed } = externalSignIn
  return Object.hasOwn(allowed, issuer) ? (allowed[issuer] ?? []) : []
}

const isIssuerOf = ({ rules, settings }: Known, issuer: string): boolean =>
  issuer !== '' && rules.issuerOf(issuer, clientOf(settings)) !== null

interface Known {
  name: string
  settings: ResolvedProvider
  definition: ProviderDefinition
  rules: IdTokenRules
}

/** A registered provider is selected by its name only. The wire compares it letter by letter. */
async function findRegistered(
  providers: Pick<Providers, 'findRegistered'>,
  name: string,
): Promise<IdTokenProvider | null> {
  const found = await providers.findRegistered(name)
  if (!found) return null
  const { settings, issuers, provider } = found
  if (!settings.enabled) throw providerNotEnabled(name)
  const rules = settings.definition?.idToken
  if (!rules) throw unknownIdTokenProvider(name)
  const client = clientOf(settings)
  const { clientIds: audiences } = client
  return { name, label: provider.label, rules, client, audiences, settings, issuers }
}

async function findByName(config: Config, given: string): Promise<Known | null> {
  // The wire compares these names letter by letter.
  const name = given.replace(/^custom:/, '')
  const settings = findProviderConfig(config, name)
  return settings ? toKnown(name, settings) : null
}

async function findByIssuer({ providers }: Config, issuer: string): Promise<Known | null> {
  const all = await Promise.all(
    Object.entries(providers).map(([name, settings]) => toKnown(name, settings)),
  )
  const ofIssuer = all.filter(
    (known) => known?.rules.issuerOf(issuer, clientOf(known.settings)) != null,
  )
  return ofIssuer.find((known) => known?.settings.enabled) ?? ofIssuer[0] ?? null
}

/** Returns null for a provider that issues no id tokens. */
async function toKnown(name: string, settings: ResolvedProvider): Promise<Known | null> {
  const definition = settings.definition ?? (await builtInProviders[name as ProviderName]?.())
  if (definition === undefined || typeof definition === 'function') return null
  return definition.idToken ? { name, settings, definition, rules: definition.idToken } : null
}

function toProvider(config: Config, { name, settings, definition, rules }: Known): IdTokenProvider {
  const client = clientOf(settings)
  const { iosBundleId } = config.externalSignIn
  return {
    name,
    label: definition.label,
    rules,
    client,
    audiences:
      name === 'apple' && iosBundleId !== null
        ? [...client.clientIds, iosBundleId]
        : client.clientIds,
    settings,
  }
}
