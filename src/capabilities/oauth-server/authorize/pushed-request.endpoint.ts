import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../../endpoints/http/guards.ts'
import { exactly } from '../../../endpoints/http/wire-schemas.ts'
import { fields, Text } from '../../../platform/http/inputs.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'
import { requestFields } from './authorize.endpoint.ts'

/** @see RFC 9126 §2 */
export const pushEndpoint = {
  method: 'POST',
  path: '/oauth/par',
  summary: 'Stores the authorization request of an OAuth client, which the browser then refers to.',
  guards: [offeredIf(requireOauthServer), anyone, limit('authorize')],
  body: fields({
    clientId: Text,
    clientSecret: Text,
    clientAssertion: Text,
    clientAssertionType: Text,
    redirectUri: Text,
    ...requestFields,
  }),
  answers: {
    201: {
      name: 'PushedRequest',
      schema: exactly({ request_uri: { type: 'string' }, expires_in: { type: 'integer' } }),
    },
  },
  errors: ['feature_disabled', 'invalid_credentials'],
  oauthErrors: [
    'invalid_client',
    'invalid_dpop_proof',
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'request_not_supported',
    'unauthorized_client',
    'unsupported_response_type',
  ],
} as const satisfies Endpoint
