import type { Endpoint } from '../../endpoints/http/endpoint.ts'
import { anyone, limit, offeredIf, user } from '../../endpoints/http/guards.ts'
import { implementSeparately } from '../../endpoints/http/implement.ts'
import { jsonAnswer } from '../../platform/http/answer.ts'
import { fields, LongText, required, Text } from '../../platform/http/inputs.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { detailsSchema, presentAuthorization } from './authorize.route.ts'
import { openForUser } from './consent.ts'
import { authorizeDevice, type DeviceAuthorization } from './device-authorization.ts'
import { errorOfTokenRequest, inOauthForm, notStored, tokenErrorHeaders } from './oauth-answer.ts'
import { parametersIn } from './parameters.ts'
import { requireDeviceFlow } from './require-oauth-server.ts'
import { requireUserCode } from './require-user-code.ts'

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
  guards: [offeredIf(requireDeviceFlow), user],
  needsRecentProof: false,
  needsSession: true,
  query: { userCode: required(Text) },
  answers: { 200: detailsSchema },
  errors: [
    'feature_disabled',
    'oauth_authorization_not_found',
    'over_request_rate_limit',
    'reauthentication_needed',
  ],
} as const satisfies Endpoint<{ userCode: string }>

export const deviceRoutes = [
  implementSeparately(deviceAuthorizationEndpoint, {
    readBody: () => (body) => ({ body }),
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(
          event,
          { errorOf: errorOfTokenRequest, headersOf: tokenErrorHeaders },
          async () => {
            const device = await authorizeDevice(ctx, event, parametersIn(body))
            return jsonAnswer(200, presentDevice(device), notStored)
          },
        ),
  }),
  implementSeparately(getDeviceEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event }) => {
        const userCodeHashes = await requireUserCode(ctx, caller, readQuery(event, 'user_code'))
        const origin = event.req.headers.get('origin')
        return presentAuthorization(await openForUser(ctx, caller, { userCodeHashes }, origin))
      },
  }),
] as const

/** @see RFC 8628 §3.2 */
const presentDevice = (device: DeviceAuthorization): Record<string, unknown> => ({
  device_code: device.deviceCode,
  user_code: device.userCode,
  verification_uri: device.verificationUri,
  verification_uri_complete: device.verificationUriComplete,
  expires_in: device.expiresInSeconds,
  interval: device.intervalSeconds,
})
