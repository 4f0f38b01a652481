import { presentTrustedDevice } from '../../accounts/trusted-devices/present-trusted-device.ts'
import { Answer } from '../../platform/http/answer.ts'
import { implement } from '../http/implement.ts'
import {
  deleteTrustedDeviceByIdEndpoint,
  listTrustedDevicesByIdEndpoint,
} from './admin-trusted-devices.endpoint.ts'
import { listUserTrustedDevices, removeUserTrustedDevice } from './user-trusted-devices.ts'

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
