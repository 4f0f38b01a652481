import type { Deps } from '../../../accounts/auth-context.ts'
import { issuerOf } from '../../../platform/config/issuer-of.ts'
import { foreignJwsAlgorithms } from '../../../platform/kit/jws.ts'
import { authMethods } from '../clients/oauth-client.ts'
import { enabledGrants } from '../protocol/grant-types.ts'
import { baseOf, hasKeyPair } from '../protocol/issuer.ts'
import { supportedScopes } from '../protocol/scopes.ts'

type Needs = Pick<Deps, 'config' | 'keys'>

/**
 * Returns the metadata of the service, by which clients find its endpoints. It names nothing that
 * is disabled.
 *
 * @see RFC 8414 §2, OpenID Connect Discovery 1.0 §3
 */
export function serverMetadata({ config, keys }: Needs): Record<string, unknown> {
  const base = baseOf(config)
  const published = keys.published().map(({ alg }) => String(alg))
  const { enabled, allowDynamicRegistration } = config.oauthServer
  // OpenID Connect Discovery 1.0 §3 requires RS256 in the list of a provider.
  const always = enabled && hasKeyPair({ keys }) ? ['RS256'] : []
  const common = {
    issuer: issuerOf(config),
    jwks_uri: `${base}/.well-known/jwks.json`,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set([...published, ...always])],
  }
  if (!enabled) return { ...common, response_types_supported: [] }
  return {
    ...common,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    userinfo_endpoint: `${base}/oauth/userinfo`,
    ...(allowDynamicRegistration && { registration_endpoint: `${base}/oauth/clients/register` }),
    scopes_supported: supportedScopes({ config, hasKeyPair: hasKeyPair({ keys }) }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: enabledGrants(config),
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: foreignJwsAlgorithms,
    revocation_endpoint: `${base}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: foreignJwsAlgorithms,
    introspection_endpoint: `${base}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: authMethods.filter((name) => name !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: foreignJwsAlgorithms,
    ...(config.oauthServer.deviceFlow.enabled && {
      device_authorization_endpoint: `${base}/oauth/device_authorization`,
    }),
    pushed_authorization_request_endpoint: `${base}/oauth/par`,
    end_session_endpoint: `${base}/oauth/logout`,
    // Clients cannot verify a token that a shared secret signs.
    backchannel_logout_supported: hasKeyPair({ keys }),
    backchannel_logout_session_supported: hasKeyPair({ keys }),
    dpop_signing_alg_values_supported: foreignJwsAlgorithms,
    claims_supported: supportedClaims,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: config.oauthServer.clientIdMetadataDocuments.enabled,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  }
}

const supportedClaims = [
  'sub',
  'aud',
  'iss',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'email',
  'email_verified',
  'phone_number',
  'phone_number_verified',
  'name',
  'picture',
  'preferred_username',
  'updated_at',
]
