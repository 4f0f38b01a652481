import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'
import { User } from '../users/user.entity.ts'

const TrustedDeviceSchema = defineEntity({
  name: 'TrustedDevice',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
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
export class TrustedDevice extends TrustedDeviceSchema.class {}
TrustedDeviceSchema.setClass(TrustedDevice)

declare module '../sql/tables.ts' {
  interface Tables {
    trusted_devices: RowOf<TrustedDevice>
  }
}
