import type { NamedSchema } from '../../../endpoints/http/endpoint.ts'
import { instant, type JsonSchema } from '../../../platform/http/json-schema.ts'
import type { OauthClient, OauthClientWithSecret } from './oauth-client.ts'

/**
 * Returns the name of a client on the wire: its id where it has none. Clients in Swift, Dart, Kotlin
 * and Python cannot read one without a name.
 *
 * @see RFC 7591 §2, `client_name`
 */
const wireNameOf = ({ clientId, clientName }: Pick<OauthClient, 'clientId' | 'clientName'>) =>
  clientName ?? clientId

/** Builds the wire form of the client in a request for access, or in a grant. */
export const presentClientSummary = (
  client: Pick<OauthClient, 'clientId' | 'clientName' | 'clientUri' | 'logoUri'>,
): Record<string, unknown> => ({
  id: client.clientId,
  name: wireNameOf(client),
  uri: client.clientUri ?? undefined,
  logo_uri: client.logoUri ?? undefined,
})

/** Builds the wire form of a client. */
export const presentClient = (client: OauthClient): Record<string, unknown> => ({
  client_id: client.clientId,
  client_type: client.clientType,
  redirect_uris: client.redirectUris,
  token_endpoint_auth_method: client.tokenEndpointAuthMethod,
  grant_types: client.grantTypes,
  response_types: ['code'],
  client_name: wireNameOf(client),
  client_uri: client.clientUri ?? undefined,
  logo_uri: client.logoUri ?? undefined,
  jwks: client.jwks ?? undefined,
  jwks_uri: client.jwksUri ?? undefined,
  post_logout_redirect_uris:
    client.postLogoutRedirectUris.length > 0 ? client.postLogoutRedirectUris : undefined,
  backchannel_logout_uri: client.backchannelLogoutUri ?? undefined,
  backchannel_logout_session_required:
    client.backchannelLogoutUri === null ? undefined : client.backchannelLogoutSessionRequired,
  allowed_scopes: client.allowedScopes ?? undefined,
  registration_type: client.registrationType,
  created_at: client.createdAt,
  updated_at: client.updatedAt,
})

/**
 * Builds the wire form of a client with its new secret. It contains the registered name only.
 *
 * @see RFC 7591 §3.2.1
 */
export const presentNewClient = (client: OauthClientWithSecret): Record<string, unknown> => ({
  ...presentClient(client),
  client_name: client.clientName ?? undefined,
  client_id_issued_at: Math.floor(client.createdAt.getTime() / 1000),
  ...(client.clientSecret !== null && {
    client_secret: client.clientSecret,
    client_secret_expires_at: 0,
  }),
})

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

const properties: Record<string, JsonSchema> = {
  client_id: text,
  client_type: { enum: ['public', 'confidential'] },
  redirect_uris: texts,
  token_endpoint_auth_method: text,
  grant_types: texts,
  response_types: texts,
  client_name: { ...text, description: 'The id of a client without a name.' },
  client_uri: text,
  logo_uri: text,
  jwks: { type: 'object' },
  jwks_uri: text,
  post_logout_redirect_uris: texts,
  backchannel_logout_uri: text,
  backchannel_logout_session_required: { type: 'boolean' },
  allowed_scopes: { ...texts, description: 'The scopes that it may request. Default: all.' },
  registration_type: { enum: ['manual', 'dynamic', 'document'] },
  created_at: instant,
  updated_at: instant,
}

const required = [
  'client_id',
  'client_type',
  'redirect_uris',
  'token_endpoint_auth_method',
  'grant_types',
  'response_types',
  'registration_type',
  'created_at',
  'updated_at',
]

export const clientSummarySchema = {
  type: 'object',
  properties: { id: text, name: text, uri: text, logo_uri: text },
  required: ['id', 'name'],
  additionalProperties: false,
} as const satisfies JsonSchema

export const clientSchema: NamedSchema = {
  name: 'OauthClient',
  schema: {
    type: 'object',
    properties,
    required: [...required, 'client_name'],
    additionalProperties: false,
  },
}

export const newClientSchema: NamedSchema = {
  name: 'NewOauthClient',
  schema: {
    type: 'object',
    properties: {
      ...properties,
      client_name: text,
      client_id_issued_at: { type: 'integer', description: 'In seconds since 1970.' },
      client_secret: { type: 'string', description: 'Returned only once.' },
      client_secret_expires_at: { const: 0 },
    },
    required: [...required, 'client_id_issued_at'],
    additionalProperties: false,
  },
}

export const clientListSchema: NamedSchema = {
  name: 'OauthClients',
  refersTo: [clientSchema],
  schema: {
    type: 'object',
    properties: {
      clients: { type: 'array', items: { $ref: '#/components/schemas/OauthClient' } },
      aud: text,
    },
    required: ['clients', 'aud'],
    additionalProperties: false,
  },
}
