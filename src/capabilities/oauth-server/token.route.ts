import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../endpoints/http/guards.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import type { AuthError } from '../../platform/errors/auth-error.ts'
import { jsonAnswer } from '../../platform/http/answer.ts'
import { fields, Text } from '../../platform/http/inputs.ts'
import { readCredentials } from './client-credentials.ts'
import { exchangeCode } from './exchange-code.ts'
import { enabledGrants } from './grant-types.ts'
import { type ClientTokens, presentTokens } from './issue-tokens.ts'
import { inOauthForm, notStored } from './oauth-answer.ts'
import { invalidRequest, oauthError } from './oauth-errors.ts'
import { parametersIn } from './parameters.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { requireOauthServer } from './require-oauth-server.ts'

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
    redirectUri: Text,
    codeVerifier: Text,
    refreshToken: Text,
    scope: Text,
    resource: Text,
    clientId: Text,
    clientSecret: Text,
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
    'invalid_client',
    'invalid_grant',
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'unauthorized_client',
    'unsupported_grant_type',
  ],
} as const satisfies Endpoint

const grants = {
  authorization_code: exchangeCode,
  refresh_token: refreshTokens,
} as const

export const tokenRoutes = [
  implementSeparately(oauthTokenEndpoint, {
    // Read in the handler, so that a malformed body is rejected in the form of OAuth, too.
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, { errorOf, headersOf }, async () => {
          const parameters = parametersIn(body)
          const credentials = readCredentials(event, parameters)
          const name = parameters('grant_type')
          if (name === undefined) throw invalidRequest('grant_type is required')
          if (!enabledGrants(ctx.config).includes(name) || !isGrant(name)) {
            throw oauthError('unsupported_grant_type', 'The grant type is not supported')
          }
          const request = { ctx, keyThumbprint: null }
          const tokens: ClientTokens = await grants[name](request, event, credentials, parameters)
          return jsonAnswer(200, presentTokens(tokens), notStored)
        }),
  }),
] as const

const isGrant = (name: string): name is keyof typeof grants => Object.hasOwn(grants, name)

/** Rejected refresh tokens are invalid grants; any other error concerns the request. */
const errorOf = ({ code }: AuthError): string =>
  code === 'validation_failed' || code === 'bad_json' || code === 'request_entity_too_large'
    ? 'invalid_request'
    : 'invalid_grant'

/** @see RFC 6749 §5.2 */
const headersOf = (error: string): Record<string, string> =>
  error === 'invalid_client' ? { 'www-authenticate': 'Basic realm="oauth"' } : {}
