import type { H3Event } from 'h3'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf } from '../../endpoints/http/guards.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import { jsonAnswer } from '../../platform/http/answer.ts'
import { fields, LongText, Text } from '../../platform/http/inputs.ts'
import { clientCredentialsGrant, issueToClient } from './client-credentials-grant.ts'
import { verifyProof } from './dpop.ts'
import { exchangeCode } from './exchange-code.ts'
import { exchangeDeviceCode } from './exchange-device-code.ts'
import { exchangeToken } from './exchange-token.ts'
import { deviceGrant, enabledGrants, tokenExchangeGrant } from './grant-types.ts'
import { presentTokens } from './issue-tokens.ts'
import { errorOfTokenRequest, inOauthForm, notStored, tokenErrorHeaders } from './oauth-answer.ts'
import { invalidRequest, oauthError } from './oauth-errors.ts'
import { type OauthParameters, parametersIn } from './parameters.ts'
import { refreshTokens } from './refresh-tokens.ts'
import { requireOauthServer } from './require-oauth-server.ts'
import { resolveCredentials } from './resolve-credentials.ts'

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

const grants = {
  authorization_code: exchangeCode,
  refresh_token: refreshTokens,
  [deviceGrant]: exchangeDeviceCode,
} as const

export const tokenRoutes = [
  implementSeparately(oauthTokenEndpoint, {
    // Read in the handler, so that a malformed body is rejected in the form of OAuth, too.
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(
          event,
          { errorOf: errorOfTokenRequest, headersOf: tokenErrorHeaders },
          async () => jsonAnswer(200, await issue(ctx, event, parametersIn(body)), notStored),
        ),
  }),
] as const

const isGrant = (name: string): name is keyof typeof grants => Object.hasOwn(grants, name)

async function issue(
  ctx: AuthContext,
  event: H3Event,
  parameters: OauthParameters,
): Promise<Record<string, unknown>> {
  const name = parameters('grant_type')
  const isEnabled = name !== undefined && enabledGrants(ctx.config).includes(name)
  const keyThumbprint = await verifyProof(ctx, event, { method: 'POST', path: '/oauth/token' })
  const request = { ctx, keyThumbprint }
  if (isEnabled && name === clientCredentialsGrant) {
    return issueToClient(request, event, parameters)
  }
  const credentials = await resolveCredentials(ctx, event, parameters)
  if (name === undefined) throw invalidRequest('grant_type is required')
  if (isEnabled && name === tokenExchangeGrant) {
    return exchangeToken(request, event, credentials, parameters)
  }
  if (!isEnabled || !isGrant(name)) {
    throw oauthError('unsupported_grant_type', 'The grant type is not supported')
  }
  return presentTokens(await grants[name](request, event, credentials, parameters))
}
