import type { NamedSchema } from '../../endpoints/http/endpoint.ts'
import { instant } from '../../platform/http/json-schema.ts'
import type { CustomProvider } from './custom-provider.ts'

/** Builds the wire form of a provider, which never contains the client secret. */
export const presentCustomProvider = (provider: CustomProvider): Record<string, unknown> => ({
  id: provider.id,
  provider_type: provider.providerType,
  identifier: provider.identifier,
  name: provider.name,
  client_id: provider.clientId,
  acceptable_client_ids: provider.acceptableClientIds,
  scopes: provider.scopes,
  pkce_enabled: provider.pkceEnabled,
  attribute_mapping: provider.attributeMapping,
  custom_claims_allowlist: provider.customClaimsAllowlist,
  authorization_params: provider.authorizationParams,
  enabled: provider.enabled,
  email_optional: provider.emailOptional,
  skip_nonce_check: provider.skipNonceCheck,
  issuer: provider.issuer ?? undefined,
  discovery_url: provider.discoveryUrl ?? undefined,
  discovery_document: provider.discoveryDocument ?? undefined,
  authorization_url: provider.authorizationUrl ?? undefined,
  token_url: provider.tokenUrl ?? undefined,
  userinfo_url: provider.userinfoUrl ?? undefined,
  jwks_uri: provider.jwksUri ?? undefined,
  created_at: provider.createdAt,
  updated_at: provider.updatedAt,
})

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const flag = { type: 'boolean' } as const
const object = { type: 'object' } as const

export const customProviderSchema: NamedSchema = {
  name: 'CustomProvider',
  schema: {
    type: 'object',
    properties: {
      id: { type: 'string', format: 'uuid' },
      provider_type: { enum: ['oauth2', 'oidc'] },
      identifier: { ...text, description: 'The name in requests and identities: `custom:acme`.' },
      name: text,
      client_id: text,
      acceptable_client_ids: texts,
      scopes: texts,
      pkce_enabled: flag,
      attribute_mapping: object,
      custom_claims_allowlist: texts,
      authorization_params: { type: 'object', additionalProperties: text },
      enabled: flag,
      email_optional: flag,
      skip_nonce_check: flag,
      issuer: text,
      discovery_url: text,
      discovery_document: object,
      authorization_url: text,
      token_url: text,
      userinfo_url: text,
      jwks_uri: text,
      created_at: instant,
      updated_at: instant,
    },
    required: [
      'id',
      'provider_type',
      'identifier',
      'name',
      'client_id',
      'acceptable_client_ids',
      'scopes',
      'pkce_enabled',
      'attribute_mapping',
      'custom_claims_allowlist',
      'authorization_params',
      'enabled',
      'email_optional',
      'skip_nonce_check',
      'created_at',
      'updated_at',
    ],
    additionalProperties: false,
  },
}

export const customProviderListSchema: NamedSchema = {
  name: 'CustomProviders',
  refersTo: [customProviderSchema],
  schema: {
    type: 'object',
    properties: {
      providers: { type: 'array', items: { $ref: '#/components/schemas/CustomProvider' } },
    },
    required: ['providers'],
    additionalProperties: false,
  },
}
