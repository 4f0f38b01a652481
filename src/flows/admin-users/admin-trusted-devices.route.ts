import type { H3 } from 'h3'
import type { Deps } from '../../deps.ts'
import { Answer } from '../../http/answer.ts'
import { openContext } from '../../http/open-context.ts'
import { presentTrustedDevice } from '../../http/present-trusted-device.ts'
import { readBearer } from '../../http/read-request.ts'
import { readPathId, serveEndpoint } from '../../http/serve-endpoint.ts'
import { authenticateAdmin } from '../../steps/authenticate-admin.ts'
import {
  deleteTrustedDeviceByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
} from './admin-trusted-devices.endpoint.ts'
import { listUserTrustedDevices, removeUserTrustedDevice } from './user-trusted-devices.ts'

/** `GET /admin/users/{user_id}/trusted-devices` */
export function listTrustedDevicesByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, listTrustedDevicesByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    await authenticateAdmin(ctx, readBearer(event))

    const devices = await listUserTrustedDevices(ctx, readPathId(event, 'user_id'))
    return devices.map(presentTrustedDevice)
  })
}

/** `DELETE /admin/users/{user_id}/trusted-devices/{device_id}` */
export function deleteTrustedDeviceByIdRoute(app: H3, deps: Deps): void {
  serveEndpoint(app, deleteTrustedDeviceByIdEndpoint, async (event) => {
    const ctx = openContext(deps, event)
    const admin = await authenticateAdmin(ctx, readBearer(event))

    await removeUserTrustedDevice(ctx, admin, {
      userId: readPathId(event, 'user_id'),
      deviceId: readPathId(event, 'device_id'),
    })
    return new Answer(204)
  })
}
