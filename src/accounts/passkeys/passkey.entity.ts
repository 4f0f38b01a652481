import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const PasskeySchema = defineEntity({
  name: 'Passkey',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    /** What the authenticator calls it, in base64url. */
    credentialId: p.text().unique(),
    /** In COSE, in base64url. */
    publicKey: p.text().hidden(),
    signCount: p.bigint('number'),
    transports: p.json<string[]>(),
    attestationFormat: p.text(),
    aaguid: p.uuid(),
    backupEligible: p.boolean(),
    backedUp: p.boolean(),
    friendlyName: p.text(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    /** The instant of the account's first confirmed address, which has not confirmed the passkey yet. */
    suspendedAt: p.datetime().nullable(),
  },
})

/**
 * A key pair that somebody signs in with, of which the private half stays with the person. `aaguid` is the model of
 * what keeps it, and `signCount` how often that says that it has signed; most always say 0.
 *
 * @see Web Authentication Level 3 §4 "Credential Record"
 */
class Passkey extends PasskeySchema.class {}
PasskeySchema.setClass(Passkey)

export { Passkey as PasskeyEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    passkeys: RowOf<Passkey>
  }
}
