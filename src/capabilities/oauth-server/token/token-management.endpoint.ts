import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../../endpoints/http/guards.ts'
import { fields, required, Text } from '../../../platform/http/inputs.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const tokenFields = fields({
  token: required(Text),
  tokenTypeHint: Text,
  clientId: Text,
  clientSecret: Text,
  clientAssertion: Text,
  clientAssertionType: Text,
})

const management = {
  method: 'POST',
  guards: [offeredIf(requireOauthServer), anyone, limit('token')],
  body: tokenFields,
  errors: ['feature_disabled', 'invalid_credentials'],
  oauthErrors: ['invalid_client', 'invalid_request'],
} as const

/** @see RFC 7009 §2 */
export const revokeEndpoint = {
  ...management,
  path: '/oauth/revoke',
  summary: 'Ends the session of a token of the OAuth client.',
  answers: { 200: null },
} as const satisfies Endpoint

/** @see RFC 7662 §2 */
export const introspectEndpoint = {
  ...management,
  path: '/oauth/introspect',
  summary: 'Describes a token of the OAuth client.',
  answers: {
    200: {
      name: 'IntrospectedToken',
      schema: {
        type: 'object',
        properties: { active: { type: 'boolean' } },
        required: ['active'],
        additionalProperties: true,
      },
    },
  },
} as const satisfies Endpoint
