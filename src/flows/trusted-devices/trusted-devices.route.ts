import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { limitClient } from '../../guards/limit-client.ts'
import { Answer, jsonAnswer } from '../../http/answer.ts'
import { keepDevice, readDevice } from '../../http/device-cookie.ts'
import { openContext } from '../../http/open-context.ts'
import { presentSession } from '../../http/present-session.ts'
import { presentTrustedDevice } from '../../http/present-trusted-device.ts'
import { presentUser } from '../../http/present-user.ts'
import { readInput } from '../../http/read-input.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateCaller } from '../../steps/authenticate-caller.ts'
import { deleteOwnTrustedDevice, listOwnTrustedDevices } from './own-trusted-devices.ts'
import { requireTrustedDevices } from './require-trusted-devices.ts'
import { trustDevice } from './trust-device.ts'
import {
  deleteTrustedDeviceEndpoint,
  listTrustedDevicesEndpoint,
  trustDeviceEndpoint,
  verifyTrustedDeviceEndpoint,
} from './trusted-devices.endpoint.ts'
import { verifyTrustedDevice } from './verify-trusted-device.ts'

/** `POST /trusted-devices`: trusts the device. Its secret is in the answer, or in a cookie. */
export function trustDeviceRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, trustDeviceEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireTrustedDevices(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, trustDeviceEndpoint.limit)
    const { cookie = false } = await readInput(event, trustDeviceEndpoint)

    const { secret, ...device } = await trustDevice(ctx, caller)
    const presented = presentTrustedDevice(device)
    if (!cookie) return { ...presented, secret }
    const kept = keepDevice(deps.config, caller.user.id, {
      secret,
      lifetimeSeconds: deps.config.mfa.trustedDevices.expirySeconds,
    })
    return jsonAnswer(200, presented, { 'set-cookie': kept })
  })
}

/** `POST /trusted-devices/verify`: by the secret of the body, else by that of the cookie, and its successor goes there. */
export function verifyTrustedDeviceRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, verifyTrustedDeviceEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireTrustedDevices(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))
    await limitClient(ctx, verifyTrustedDeviceEndpoint.limit)
    const { secret: given } = await readInput(event, verifyTrustedDeviceEndpoint)
    const userId = caller.user.id

    const used = await verifyTrustedDevice(
      ctx,
      caller,
      given ?? readDevice(deps.config, event, userId),
    )
    const session = presentSession(presentUser(used.user), used.session)
    if (given !== undefined) return { ...session, trusted_device_secret: used.secret }
    const kept = keepDevice(deps.config, userId, {
      secret: used.secret,
      lifetimeSeconds: (used.deviceExpiresAt.getTime() - ctx.clock.now().getTime()) / 1000,
    })
    return jsonAnswer(200, session, { 'set-cookie': kept })
  })
}

/** `GET /trusted-devices`: those of the signed-in user. */
export function listTrustedDevicesRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listTrustedDevicesEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireTrustedDevices(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))

    const devices = await listOwnTrustedDevices(ctx, caller)
    return devices.map(presentTrustedDevice)
  })
}

/** `DELETE /trusted-devices/{device_id}`: ends the trust in one. */
export function deleteTrustedDeviceRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deleteTrustedDeviceEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    requireTrustedDevices(ctx)
    const caller = await authenticateCaller(ctx, readBearer(event))

    await deleteOwnTrustedDevice(ctx, caller, readPathId(event, 'device_id'))
    return new Answer(204)
  })
}
