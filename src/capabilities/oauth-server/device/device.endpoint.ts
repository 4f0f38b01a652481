import type { Endpoint } from '../../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf, user } from '../../../endpoints/http/guards.ts'
import { fields, LongText, required, Text } from '../../../platform/http/inputs.ts'
import { detailsSchema } from '../authorize/authorize.endpoint.ts'
import { requireDeviceFlow } from '../protocol/oauth-errors.ts'

const text = { type: 'string' } as const

/** @see RFC 8628 §3.1 */
export const deviceAuthorizationEndpoint = {
  method: 'POST',
  path: '/oauth/device_authorization',
  summary: 'Starts the authorization of a device, whose user enters a code on another device.',
  guards: [offeredIf(requireDeviceFlow), anyone, limit('authorize')],
  body: fields({
    clientId: Text,
    clientSecret: Text,
    clientAssertion: LongText,
    clientAssertionType: Text,
    scope: Text,
    resource: Text,
  }),
  answers: {
    200: {
      name: 'DeviceAuthorization',
      schema: {
        type: 'object',
        properties: {
          device_code: text,
          user_code: text,
          verification_uri: text,
          verification_uri_complete: text,
          expires_in: { type: 'integer', description: 'In seconds.' },
          interval: { type: 'integer', description: 'In seconds.' },
        },
        required: [
          'device_code',
          'user_code',
          'verification_uri',
          'verification_uri_complete',
          'expires_in',
          'interval',
        ],
        additionalProperties: false,
      },
    },
  },
  errors: ['feature_disabled', 'invalid_credentials'],
  oauthErrors: [
    'invalid_client',
    'invalid_request',
    'invalid_scope',
    'invalid_target',
    'unauthorized_client',
  ],
} as const satisfies Endpoint

/** The request of a device by the code that the user enters. @see RFC 8628 §3.3 */
export const getDeviceEndpoint = {
  method: 'GET',
  path: '/oauth/device',
  summary:
    'Opens the authorization request of a device for the user who is signed in. Returns what the consent page shows.',
  inCode: 'auth.api.oauth.getDevice',
  guards: [offeredIf(requireDeviceFlow), user],
  needsRecentProof: false,
  needsSession: true,
  query: { userCode: required(Text) },
  answers: { 200: detailsSchema },
  errors: [
    'feature_disabled',
    'insufficient_aal',
    'oauth_authorization_not_found',
    'over_request_rate_limit',
    'reauthentication_needed',
  ],
  conditions: {
    over_request_rate_limit: 'after too many codes',
    reauthentication_needed: 'where the client requires a new sign-in',
  },
} as const satisfies Endpoint<{ userCode: string }>
