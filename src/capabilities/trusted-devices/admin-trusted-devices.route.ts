import { implement } from '../../endpoints/http/implement.ts'
import { Answer } from '../../platform/http/answer.ts'
import {
  deleteTrustedDeviceByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
} from './admin-trusted-devices.endpoint.ts'
import { listUserTrustedDevices, removeUserTrustedDevice } from './manage-trusted-devices.ts'
import { presentTrustedDevice } from './present-trusted-device.ts'

export const adminTrustedDevicesRoutes = [
  implement(listTrustedDevicesByIdEndpoint, {
    run: ({ ctx, ids }) => listUserTrustedDevices(ctx, ids.userId),
    present: (devices) => devices.map(presentTrustedDevice),
  }),
  implement(deleteTrustedDeviceByIdEndpoint, {
    run: ({ ctx, admin, ids }) => removeUserTrustedDevice(ctx, admin, ids),
    present: () => new Answer(204),
  }),
] as const
