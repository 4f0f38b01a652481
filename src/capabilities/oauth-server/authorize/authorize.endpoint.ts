import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf, user } from '../../../endpoints/http/guards.ts'
import { exactly } from '../../../endpoints/http/wire-schemas.ts'
import { fields, oneOf, required, Text } from '../../../platform/http/inputs.ts'
import { clientSummarySchema } from '../clients/present-client.ts'
import { requireOauthServer } from '../protocol/oauth-errors.ts'

const text = { type: 'string' } as const

/** The parameters of a request that a client sends by the browser, or pushes. */
export const requestFields = {
  responseType: oneOf(['code']),
  scope: Text,
  state: Text,
  codeChallenge: Text,
  codeChallengeMethod: oneOf(['S256']),
  nonce: Text,
  resource: Text,
  prompt: Text,
  maxAge: Text,
  idTokenHint: Text,
  loginHint: Text,
  uiLocales: Text,
  dpopJkt: Text,
} as const

const parameterFields = {
  clientId: required(Text),
  redirectUri: Text,
  requestUri: Text,
  ...requestFields,
} as const

const authorization = {
  path: '/oauth/authorize',
  isOpenedByBrowsers: true,
  guards: [offeredIf(requireOauthServer), anyone, limit('authorize')],
  answers: { 302: null },
  errors: ['feature_disabled', 'oauth_client_not_found'],
  // Others than `invalid_request` where the redirect URI opens an application.
  oauthErrors: [
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'request_not_supported',
    'request_uri_not_supported',
    'server_error',
    'unauthorized_client',
    'unsupported_response_type',
  ],
} as const

/** @see RFC 6749 §3.1 */
export const authorizeByQueryEndpoint = {
  ...authorization,
  method: 'GET',
  summary: 'Starts the authorization of an OAuth client: redirects to the consent page.',
  query: parameterFields,
} as const satisfies Endpoint

/** @see OpenID Connect Core 1.0 §3.1.2.1 */
export const authorizeByFormEndpoint = {
  ...authorization,
  method: 'POST',
  summary: 'Starts the authorization of an OAuth client, with the parameters in a form.',
  body: fields(parameterFields),
} as const satisfies Endpoint

export const detailsSchema = {
  name: 'OauthAuthorization',
  schema: {
    anyOf: [
      {
        type: 'object',
        properties: {
          authorization_id: text,
          redirect_uri: text,
          client: clientSummarySchema,
          user: {
            type: 'object',
            properties: { id: text, email: text },
            required: ['id', 'email'],
            additionalProperties: false,
          },
          scope: text,
          resource: text,
        },
        required: ['authorization_id', 'redirect_uri', 'client', 'user', 'scope'],
        additionalProperties: false,
      },
      exactly({ redirect_url: text }),
    ],
  },
} as const

const redirectSchema = {
  name: 'OauthRedirect',
  schema: exactly({ redirect_url: text }),
} as const

export const getAuthorizationEndpoint = {
  method: 'GET',
  path: '/oauth/authorizations/{authorization_id}',
  summary:
    'Opens an authorization request for the user who is signed in. Returns what the consent page shows, or the URL to redirect to.',
  inCode: 'auth.api.oauth.getAuthorizationDetails',
  guards: [offeredIf(requireOauthServer), user],
  needsRecentProof: false,
  needsSession: true,
  answers: { 200: detailsSchema },
  errors: [
    'feature_disabled',
    'insufficient_aal',
    'oauth_authorization_not_found',
    'reauthentication_needed',
  ],
  oauthErrors: ['consent_required', 'login_required'],
  conditions: { reauthentication_needed: 'where the client requires a new sign-in' },
} as const satisfies Endpoint

export const consentEndpoint = {
  method: 'POST',
  path: '/oauth/authorizations/{authorization_id}/consent',
  summary: 'Approves or denies an authorization request. Returns the URL to redirect to.',
  guards: [offeredIf(requireOauthServer), user],
  needsRecentProof: false,
  needsSession: true,
  body: fields({ action: required(oneOf(['approve', 'deny'])), scope: Text }),
  answers: { 200: redirectSchema },
  errors: [
    'feature_disabled',
    'insufficient_aal',
    'oauth_authorization_not_found',
    'reauthentication_needed',
  ],
} as const satisfies Endpoint
