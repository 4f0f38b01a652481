import { presentSignedIn } from '../../accounts/sign-in/issue-session.ts'
import { implement, implementSeparately } from '../../endpoints/http/implement.ts'
import { Answer, jsonAnswer } from '../../platform/http/answer.ts'
import { keepDevice, readDevice } from './device-cookie.ts'
import { deleteOwnTrustedDevice, listOwnTrustedDevices } from './manage-trusted-devices.ts'
import { presentTrustedDevice } from './present-trusted-device.ts'
import { trustDevice } from './trust-device.ts'
import {
  deleteTrustedDeviceEndpoint,
  listTrustedDevicesEndpoint,
  trustDeviceEndpoint,
  verifyTrustedDeviceEndpoint,
} from './trusted-devices.endpoint.ts'
import { verifyTrustedDevice } from './verify-trusted-device.ts'

export const trustedDevicesRoutes = [
  // The secret is in the response, or in a cookie.
  implement(trustDeviceEndpoint, {
    run: ({ ctx, caller }) => trustDevice(ctx, caller),
    present: ({ secret, ...device }, { ctx: { config }, caller, input: { cookie = false } }) => {
      const presented = presentTrustedDevice(device)
      if (!cookie) return { ...presented, secret }
      const kept = keepDevice(config, caller.user.id, {
        secret,
        lifetimeSeconds: config.mfa.trustedDevices.expirySeconds,
      })
      return jsonAnswer(200, presented, { 'set-cookie': kept })
    },
  }),
  // The secret is that of the body, else that of the cookie. The next secret is returned in the
  // same place.
  implementSeparately(verifyTrustedDeviceEndpoint, {
    handle:
      () =>
      async ({ ctx, event, caller, input: { secret: given } }) => {
        const userId = caller.user.id
        const secret = given ?? readDevice(ctx.config, event, userId)
        const used = await verifyTrustedDevice(ctx, caller, secret)
        const session = presentSignedIn(used)
        if (given !== undefined) return { ...session, trusted_device_secret: used.secret }
        const kept = keepDevice(ctx.config, userId, {
          secret: used.secret,
          lifetimeSeconds: (used.deviceExpiresAt.getTime() - ctx.clock.now().getTime()) / 1000,
        })
        return jsonAnswer(200, session, { 'set-cookie': kept })
      },
    run: async ({ ctx, caller, input: { secret: given = null } }) => {
      const { user, session, secret } = await verifyTrustedDevice(ctx, caller, given)
      return { user, session, secret }
    },
  }),
  implement(listTrustedDevicesEndpoint, {
    run: ({ ctx, caller }) => listOwnTrustedDevices(ctx, caller),
    present: (devices) => devices.map(presentTrustedDevice),
  }),
  implement(deleteTrustedDeviceEndpoint, {
    run: ({ ctx, caller, ids }) => deleteOwnTrustedDevice(ctx, caller, ids.deviceId),
    present: () => new Answer(204),
  }),
] as const
