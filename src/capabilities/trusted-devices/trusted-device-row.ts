import type { RowOf } from '../../platform/sql/row-of.ts'
import type { TrustedDeviceEntity } from './trusted-device.entity.ts'
import type { TrustedDevice } from './trusted-device.ts'

/** A trusted device as PostgreSQL writes it in JSON. */
export type TrustedDeviceRow = RowOf<TrustedDeviceEntity>

export const toTrustedDevice = (
  row: Omit<TrustedDeviceRow, 'user_id' | 'secret_hash' | 'previous_hash'>,
): TrustedDevice => ({
  id: row.id,
  userAgent: row.user_agent,
  createdAt: new Date(row.created_at),
  lastUsedAt: new Date(row.last_used_at),
  expiresAt: new Date(row.expires_at),
})
