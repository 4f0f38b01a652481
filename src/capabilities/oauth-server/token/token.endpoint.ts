import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../../endpoints/http/guards.ts'
import { fields, LongText, Text } from '../../../platform/http/inputs.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const text = { type: 'string' } as const

/** @see RFC 6749 §3.2 */
export const oauthTokenEndpoint = {
  method: 'POST',
  path: '/oauth/token',
  summary: 'Exchanges a grant of an OAuth client for tokens. The body is a form, or JSON.',
  guards: [offeredIf(requireOauthServer), anyone, limit('token')],
  body: fields({
    grantType: Text,
    code: Text,
    deviceCode: Text,
    redirectUri: Text,
    codeVerifier: Text,
    refreshToken: Text,
    scope: Text,
    resource: Text,
    subjectToken: LongText,
    subjectTokenType: Text,
    requestedTokenType: Text,
    clientId: Text,
    clientSecret: Text,
    clientAssertion: LongText,
    clientAssertionType: Text,
  }),
  answers: {
    200: {
      name: 'OauthTokens',
      schema: {
        type: 'object',
        properties: {
          access_token: text,
          token_type: { enum: ['bearer', 'DPoP'] },
          expires_in: { type: 'integer', description: 'In seconds.' },
          refresh_token: text,
          id_token: text,
          issued_token_type: text,
          scope: text,
        },
        required: ['access_token', 'token_type', 'expires_in', 'scope'],
        additionalProperties: false,
      },
    },
  },
  errors: ['feature_disabled', 'invalid_credentials'],
  oauthErrors: [
    'access_denied',
    'authorization_pending',
    'expired_token',
    'invalid_client',
    'invalid_dpop_proof',
    'invalid_grant',
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'slow_down',
    'unauthorized_client',
    'unsupported_grant_type',
  ],
} as const satisfies Endpoint
