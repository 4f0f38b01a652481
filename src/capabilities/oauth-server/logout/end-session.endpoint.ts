import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../../endpoints/http/guards.ts'
import { exactly } from '../../../endpoints/http/wire-schemas.ts'
import { fields, Text } from '../../../platform/http/inputs.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const parameterFields = {
  idTokenHint: Text,
  clientId: Text,
  postLogoutRedirectUri: Text,
  state: Text,
} as const

const endSession = {
  path: '/oauth/logout',
  isOpenedByBrowsers: true,
  guards: [offeredIf(requireOauthServer), anyone, limit('authorize')],
  answers: { 200: { name: 'EndedOauthSession', schema: exactly({}) }, 302: null },
  errors: ['feature_disabled', 'oauth_client_not_found'],
  oauthErrors: ['invalid_request'],
} as const

/** @see OpenID Connect RP-Initiated Logout 1.0 §2 */
export const endSessionEndpoint = {
  ...endSession,
  method: 'GET',
  summary: 'Ends the session of an ID token, and redirects to its client.',
  query: parameterFields,
} as const satisfies Endpoint

export const endSessionByFormEndpoint = {
  ...endSession,
  method: 'POST',
  summary: 'The same, with the parameters in a form.',
  body: fields(parameterFields),
} as const satisfies Endpoint
