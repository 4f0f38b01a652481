import { sweepExpiredRows } from '../../platform/sql/delete-rows.sql.ts'
import { defineBuiltInCapability } from '../capability.ts'
import { adminTrustedDevicesRoutes } from './admin-trusted-devices.route.ts'
import { trustedDevicesTables } from './migrations.ts'
import { personalTrustedDevices } from './personal-trusted-devices.ts'
import { trustedDevicesRoutes } from './trusted-devices.route.ts'
import { deleteTrustedDevicesOf } from './trusted-devices.sql.ts'
import * as terms from './trusted-devices.terms.ts'
import { mfaSettings } from './trusted-devices-settings.terms.ts'

/** Devices on which the second factor is not required until the trust expires. */
export const trustedDevices = defineBuiltInCapability({
  name: 'trusted-devices',
  terms,
  settings: mfaSettings,
  migrations: [{ name: '20261122-trusted-devices', statements: trustedDevicesTables }],
  entities: async () => {
    const { TrustedDeviceEntity } = await import('./trusted-device.entity.ts')
    return [TrustedDeviceEntity]
  },
  personalTables: { trustedDevices: personalTrustedDevices },
  otherTables: {},
  endpoints: trustedDevicesRoutes,
  operatorEndpoints: adminTrustedDevicesRoutes,
  sweeps: [sweepExpiredRows('trusted_devices')],
  endGrants: deleteTrustedDevicesOf,
})
