import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const PasskeySchema = defineEntity({
  name: 'Passkey',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    /** The authenticator's id of the credential, in base64url. */
    credentialId: p.text().unique(),
    /** The COSE key, in base64url. */
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
    /**
     * The instant of the account's first confirmed address, which has not confirmed the passkey
     * yet.
     */
    suspendedAt: p.datetime().nullable(),
  },
})

/**
 * A key pair for sign-in, whose private key stays in the authenticator. `aaguid` is the model of
 * the authenticator, and `signCount` the number of signatures that it reports; most always report
 * 0.
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

const ImportedPasskeySchema = defineEntity({
  name: 'ImportedPasskey',
  properties: { id: p.uuid().primary() },
})

/** A passkey that was imported once. One that was removed here is not imported again. */
export class ImportedPasskey extends ImportedPasskeySchema.class {}
ImportedPasskeySchema.setClass(ImportedPasskey)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_passkeys: RowOf<ImportedPasskey>
  }
}
