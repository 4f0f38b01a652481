import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, offeredIf } from '../../../endpoints/http/guards.ts'
import { exactly } from '../../../endpoints/http/wire-schemas.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const text = { type: 'string' } as const

const metadataSchema = {
  name: 'ServerMetadata',
  schema: {
    type: 'object',
    description: 'The metadata of RFC 8414. It contains no endpoint that is disabled.',
    properties: { issuer: text, jwks_uri: text },
    required: ['issuer', 'jwks_uri'],
    additionalProperties: true,
  },
} as const

export const openidConfigurationEndpoint = {
  method: 'GET',
  path: '/.well-known/openid-configuration',
  isAtRoot: true,
  summary: 'Returns the issuer of tokens, and the URLs of keys and endpoints.',
  guards: [anyone],
  answers: { 200: metadataSchema },
  errors: [],
} as const satisfies Endpoint

export const serverMetadataEndpoint = {
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  isAtRoot: true,
  summary: 'Returns the URLs of the endpoints for OAuth clients.',
  guards: [offeredIf(requireOauthServer), anyone],
  answers: { 200: metadataSchema },
  errors: ['feature_disabled'],
} as const satisfies Endpoint

export const resourceMetadataEndpoint = {
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  isAtRoot: true,
  summary: 'Describes the service itself as a resource of its OAuth server.',
  guards: [offeredIf(requireOauthServer), anyone],
  answers: {
    200: {
      name: 'ResourceMetadata',
      schema: exactly({
        resource: text,
        authorization_servers: { type: 'array', items: text },
        bearer_methods_supported: { type: 'array', items: text },
      }),
    },
  },
  errors: ['feature_disabled'],
} as const satisfies Endpoint
