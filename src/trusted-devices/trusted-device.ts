import type { RowOf } from '../sql/row-of.ts'
import type { TrustedDevice as TrustedDeviceEntity } from './trusted-device.entity.ts'

/** A device on which its user need not show a second factor, without its secret. */
export interface TrustedDevice {
  id: string
  /** What the browser or app said it was when it was trusted. */
  userAgent: string | null
  createdAt: Date
  /** When it last stood for a second factor; at first, when it was trusted. */
  lastUsedAt: Date
  expiresAt: Date
}

/** A device that is trusted from now on. */
export interface NewTrustedDevice extends TrustedDevice {
  /** What the device shows in place of a second factor, once: each use hands out another one. */
  secret: string
}

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
