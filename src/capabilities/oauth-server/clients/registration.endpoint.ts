import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../../endpoints/http/guards.ts'
import { requireRegistration } from '../protocol/oauth-errors.ts'
import { clientFields } from './client-fields.ts'
import { newClientSchema } from './present-client.ts'

/** @see RFC 7591 §3 */
export const registerClientEndpoint = {
  method: 'POST',
  path: '/oauth/clients/register',
  summary: 'Registers an OAuth client of its own accord.',
  guards: [offeredIf(requireRegistration), anyone, limit('oauth_register')],
  body: clientFields,
  answers: { 201: newClientSchema },
  errors: ['feature_disabled', 'oauth_dynamic_client_registration_disabled'],
  oauthErrors: ['invalid_client_metadata', 'invalid_redirect_uri'],
} as const satisfies Endpoint
