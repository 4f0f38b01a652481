import { implementSeparately } from '../../../endpoints/http/implement.ts'
import { jsonAnswer } from '../../../platform/http/answer.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import { presentAuthorization } from '../authorize/authorize.route.ts'
import { openForUser } from '../authorize/consent.ts'
import { inOauthForm, notStored, tokenForm } from '../protocol/oauth-answer.ts'
import { parametersIn, readRawBody } from '../protocol/parameters.ts'
import { deviceAuthorizationEndpoint, getDeviceEndpoint } from './device.endpoint.ts'
import { authorizeDevice, type DeviceAuthorization } from './device-authorization.ts'
import { requireUserCode } from './require-user-code.ts'

export const deviceRoutes = [
  implementSeparately(deviceAuthorizationEndpoint, {
    readBody: readRawBody,
    handle:
      () =>
      ({ ctx, event, input: { body } }) =>
        inOauthForm(event, tokenForm, async () => {
          const device = await authorizeDevice(ctx, event, parametersIn(body))
          return jsonAnswer(200, presentDevice(device), notStored)
        }),
  }),
  implementSeparately(getDeviceEndpoint, {
    handle:
      () =>
      async ({ ctx, caller, event }) => {
        const userCodeHashes = await requireUserCode(ctx, caller, readQuery(event, 'user_code'))
        const origin = event.req.headers.get('origin')
        return presentAuthorization(await openForUser(ctx, caller, { userCodeHashes }, origin))
      },
    // A call in code states no origin: the host's own page made it.
    run: async ({ ctx, caller, input: { userCode } }) => {
      const userCodeHashes = await requireUserCode(ctx, caller, userCode)
      return openForUser(ctx, caller, { userCodeHashes }, null)
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
