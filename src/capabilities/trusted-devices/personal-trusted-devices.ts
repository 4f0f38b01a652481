import { exported, personalTable, withheld } from '../../platform/sql/personal-table.ts'
import type { TrustedDeviceRow } from './trusted-devices.sql.ts'

export const personalTrustedDevices = personalTable<TrustedDeviceRow>()({
  name: 'trusted_devices',
  belongsBy: { ids: ['user_id'] },
  columns: {
    id: exported,
    user_id: exported,
    user_agent: exported,
    created_at: exported,
    last_used_at: exported,
    expires_at: exported,
    secret_hash: withheld('a hash of the secret that the device stores'),
    previous_hash: withheld('a hash of the previous secret of the device'),
  },
  erasure: { rows: 'deleted' },
})
