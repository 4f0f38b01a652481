import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'

const TrustedDeviceSchema = defineEntity({
  name: 'TrustedDevice',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    secretHash: p.string().length(64).hidden(),
    /** Of the secret before it: whoever shows that one has a copy. */
    previousHash: p.string().length(64).nullable().hidden(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
    expiresAt: p.datetime().index(),
  },
})

/**
 * A device on which its user has shown a second factor, and need not show it again for a while. It holds a secret, of
 * which only the hash is kept; each use makes a new one.
 */
class TrustedDevice extends TrustedDeviceSchema.class {}
TrustedDeviceSchema.setClass(TrustedDevice)

export { TrustedDevice as TrustedDeviceEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    trusted_devices: RowOf<TrustedDevice>
  }
}
