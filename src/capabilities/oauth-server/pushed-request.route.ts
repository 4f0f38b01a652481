import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../endpoints/http/guards.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import { exactly } from '../../endpoints/http/wire-schemas.ts'
import { jsonAnswer } from '../../platform/http/answer.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import { errorOfTokenRequest, inOauthForm, notStored, tokenErrorHeaders } from './oauth-answer.ts'
import { parametersIn } from './parameters.ts'
import { pushRequest } from './pushed-request.ts'
import { requireOauthServer } from './require-oauth-server.ts'

/** @see RFC 9126 §2 */
export const pushEndpoint = {
  method: 'POST',
  path: '/oauth/par',
  summary: 'Stores the authorization request of an OAuth client, which the browser then refers to.',
  guards: [offeredIf(requireOauthServer), anyone, limit('authorize')],
  body: fields({
    clientId: Text,
    clientSecret: Text,
    redirectUri: Text,
    responseType: Text,
    scope: Text,
    state: Text,
    codeChallenge: Text,
    codeChallengeMethod: Text,
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
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'request_not_supported',
    'unauthorized_client',
    'unsupported_response_type',
  ],
} as const satisfies Endpoint

export const pushedRequestRoutes = [
  implementSeparately(pushEndpoint, {
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(
          event,
          { errorOf: errorOfTokenRequest, headersOf: tokenErrorHeaders },
          async () => {
            const pushed = await pushRequest(ctx, event, parametersIn(body))
            const { requestUri, expiresInSeconds } = pushed
            const body201 = { request_uri: requestUri, expires_in: expiresInSeconds }
            return jsonAnswer(201, body201, notStored)
          },
        ),
  }),
] as const
