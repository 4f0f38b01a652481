import type { NamedSchema } from '../../endpoints/http/endpoint.ts'
import { instant, type JsonSchema } from '../../platform/http/json-schema.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

const properties: Record<string, JsonSchema> = {
  client_id: text,
  client_type: { enum: ['public', 'confidential'] },
  redirect_uris: texts,
  token_endpoint_auth_method: text,
  grant_types: texts,
  response_types: texts,
  client_name: text,
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

export const clientSchema: NamedSchema = {
  name: 'OauthClient',
  schema: { type: 'object', properties, required, additionalProperties: false },
}

export const newClientSchema: NamedSchema = {
  name: 'NewOauthClient',
  schema: {
    type: 'object',
    properties: {
      ...properties,
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
    },
    required: ['clients'],
    additionalProperties: false,
  },
}
