import { bindProvider } from '../../credentials/external/bind-provider.ts'
import type { DefinedProvider } from '../../credentials/external/define-provider.ts'
import { oauth2 } from '../../credentials/external/oauth2.ts'
import { oidc } from '../../credentials/external/oidc.ts'
import { clientOf, timeoutMsOf } from '../../credentials/external/open-providers.ts'
import { createIssuers, type Issuers } from '../../credentials/external/protocol/issuers.ts'
import { jsonReader } from '../../credentials/external/protocol/json-reader.ts'
import { documentReader } from '../../credentials/external/protocol/published-documents.ts'
import type { Provider, RegisteredProvider } from '../../credentials/external/provider.ts'
import type { ProviderDefinition } from '../../platform/config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import { unseal } from '../../platform/kit/sealed-box.ts'
import type { RegistryNeeds } from '../capability.ts'
import { callbackUrlOf } from './callback-url.ts'
import { type CustomProviderRow, clientSecretBox } from './custom-provider-row.ts'
import { discoveryAddress, isDocumentOf } from './discovery.ts'
import { readMappedClaims } from './map-claims.ts'
import { withOpenId } from './read-custom-provider.ts'

/**
 * Returns the function that binds a registered provider to its client. Its requests are sent by the
 * fetch of the needs, so they reach public hosts only.
 */
export function customProviderBinder({
  config,
  clock,
  logger,
  roots,
  fetch,
}: RegistryNeeds): (row: CustomProviderRow) => RegisteredProvider {
  const needs = {
    fetch,
    timeoutMs: timeoutMsOf(config),
    clock,
    logger,
    storage: config.storage,
    cacheLifetimeMs: config.externalSignIn.discoveryLifetimeSeconds * 1000,
  }
  const published = createIssuers(needs)
  const readDocument = documentReader(needs)

  /** The documents of one issuer. The checked one is used while the issuer does not respond. */
  const issuersOf = (row: CustomProviderRow): Issuers => ({
    ...published,
    discover: (issuer) =>
      readDocument({
        url: discoveryAddress(row.discovery_url, issuer),
        trust: 'outside',
        isValid: (document) => isDocumentOf(issuer, document),
      }).catch(() => jsonReader(row.discovery_document)),
  })

  return (row) => {
    const clientSecret = unseal(roots, clientSecretBox(row.id), row.sealed_client_secret)
    const { definition } = row.provider_type === 'oidc' ? defineOidc(row) : defineOauth2(row)
    const settings: ResolvedProvider = {
      enabled: row.enabled,
      clientIds: [...new Set([row.client_id, ...row.acceptable_client_ids])],
      clientSecret,
      redirectUri: callbackUrlOf(config, row.identifier),
      url: null,
      emailOptional: row.email_optional,
      skipNonceCheck: row.skip_nonce_check,
      signUpDisabled: false,
      keepTokens: false,
      definition,
      mapProfile: null,
    }
    const issuers = issuersOf(row)
    const bind = (defined: ProviderDefinition): Provider =>
      bindProvider({ ...needs, issuers }, row.identifier, defined, clientOf(settings))
    return { settings, issuers, provider: withRequestedScopes(row, definition, bind) }
  }
}

/** Scopes of a request replace the provider's, except `openid` of OpenID Connect. */
function withRequestedScopes(
  { provider_type }: CustomProviderRow,
  definition: ProviderDefinition,
  bind: (definition: ProviderDefinition) => Provider,
): Provider {
  return {
    ...bind(definition),
    createAuthorizationUrl: (order) => {
      const requested = order.scopes.flatMap((scope) => scope.split(/\s+/)).filter(Boolean)
      const scopes =
        requested.length === 0 ? definition.scopes : withOpenId(provider_type, requested)
      return bind({ ...definition, ...(scopes && { scopes }) }).createAuthorizationUrl({
        ...order,
        scopes: [],
      })
    },
  }
}

const shared = (row: CustomProviderRow) => ({
  label: row.name,
  clientId: row.client_id,
  // The settings contain the secret.
  clientSecret: '',
  scopes: row.scopes,
  parameters: row.authorization_params,
})

function defineOidc(row: CustomProviderRow): DefinedProvider {
  const { definition } = oidc({
    ...shared(row),
    issuer: row.issuer ?? '',
    readClaims: (claims) => readMappedClaims(row, claims),
  })
  return { definition: { ...definition, usesCodeVerifier: row.pkce_enabled } }
}

const defineOauth2 = (row: CustomProviderRow): DefinedProvider =>
  oauth2({
    ...shared(row),
    authorizationUrl: row.authorization_url ?? '',
    tokenUrl: row.token_url ?? '',
    profileUrl: row.userinfo_url ?? '',
    usesCodeVerifier: row.pkce_enabled,
    readProfile: (profile) => readMappedClaims(row, profile),
  })
