import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, offeredIf } from '../../../endpoints/http/guards.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

export const userinfo = {
  path: '/oauth/userinfo',
  summary: 'Returns what a client may know about its user.',
  guards: [offeredIf(requireOauthServer), anyone],
  answers: {
    200: {
      name: 'UserInfo',
      schema: {
        type: 'object',
        properties: { sub: { type: 'string' } },
        required: ['sub'],
        additionalProperties: true,
      },
    },
  },
  errors: ['feature_disabled', 'no_authorization', 'over_request_rate_limit'],
  oauthErrors: ['insufficient_scope', 'invalid_dpop_proof', 'invalid_token'],
} as const

/** @see OpenID Connect Core 1.0 §5.3 */
export const userinfoEndpoint = { ...userinfo, method: 'GET' } as const satisfies Endpoint
export const userinfoByPostEndpoint = { ...userinfo, method: 'POST' } as const satisfies Endpoint
