import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'

const TrustedDeviceSchema = defineEntity({
  name: 'TrustedDevice',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    secretHash: p.string().length(64).hidden(),
    /** The hash of the previous secret. Only a copy of the secret can match it. */
    previousHash: p.string().length(64).nullable().hidden(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime(),
    expiresAt: p.datetime().index(),
  },
})

/**
 * A device on which its user has used a second factor, which is not required there until the trust
 * expires. The device stores a secret, and the row only its hash. Each use replaces the secret.
 */
class TrustedDevice extends TrustedDeviceSchema.class {}
TrustedDeviceSchema.setClass(TrustedDevice)

export { TrustedDevice as TrustedDeviceEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    trusted_devices: RowOf<TrustedDevice>
  }
}
