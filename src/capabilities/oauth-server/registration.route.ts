import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../endpoints/http/guards.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { jsonAnswer } from '../../platform/http/answer.ts'
import { checkBody } from '../../platform/http/check-input.ts'
import { jsonIn } from '../../platform/http/plain-json.ts'
import { createClient } from './manage-clients.ts'
import { inOauthForm, notStored } from './oauth-answer.ts'
import { newClientSchema, presentNewClient } from './present-client.ts'
import { clientFields } from './read-client-metadata.ts'
import { requireRegistration } from './require-oauth-server.ts'

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

export const registrationRoutes = [
  implementSeparately(registerClientEndpoint, {
    // Read in the handler, so that a malformed body is rejected in the form of RFC 7591, too.
    readBody: () => (text) => ({ text }),
    handle:
      () =>
      ({ ctx, event, input: { text } }) =>
        inOauthForm(event, { errorOf }, async () => {
          const input = checkBody(jsonIn(text), clientFields)
          const client = await createClient(ctx, null, input)
          return jsonAnswer(201, presentNewClient(client), notStored)
        }),
  }),
] as const

/** @see RFC 7591 §3.2.2 */
const errorOf = ({ message }: AuthError): string =>
  message.startsWith('redirect_uris') ? 'invalid_redirect_uri' : 'invalid_client_metadata'
