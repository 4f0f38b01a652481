import { defineEntity, p } from '@mikro-orm/core'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const FactorSchema = defineEntity({
  name: 'Factor',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    /** Null for a factor without a name. A user may enroll one such factor. */
    friendlyName: p.text().nullable(),
    factorType: p.text().$type<FactorType>(),
    status: p.text().$type<'unverified' | 'verified'>(),
    secret: p.text().nullable().hidden(),
    phone: p.text().nullable(),
    lastUsedStep: p.integer().nullable(),
    /**
     * The id of a security key's credential, in base64url. It is null until registration, like the
     * columns down to `backedUp`.
     */
    credentialId: p.text().nullable().unique(),
    /** The COSE key, in base64url. */
    publicKey: p.text().nullable().hidden(),
    signCount: p.bigint('number').nullable(),
    transports: p.json<string[]>().nullable(),
    attestationFormat: p.text().nullable(),
    /** The model of a security key, where it reports one. */
    webAuthnAaguid: p.uuid().nullable(),
    backupEligible: p.boolean().nullable(),
    backedUp: p.boolean().nullable(),
    /**
     * The time at which the factor was added or replaced without a recent proof; null where there
     * was one. In sessions opened before, its proof satisfies no check for a recent proof.
     */
    addedWithoutProofAt: p.datetime().nullable(),
    lastChallengedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [{ properties: ['createdAt'], where: { status: 'unverified' } }],
  uniques: [{ properties: ['user', 'friendlyName'] }, { properties: ['user', 'phone'] }],
})

/**
 * A second factor: an authenticator app, a phone, a security key or a set of recovery codes.
 *
 * `secret` is the secret of an app or the key of a set of recovery codes, sealed
 * (`factor-secret.ts`). `lastUsedStep` is the time step of the last accepted code, since no code is
 * accepted twice. `signCount` is the number of signatures that a security key reports; some always
 * report 0.
 */
class Factor extends FactorSchema.class {}
FactorSchema.setClass(Factor)

export { Factor as FactorEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    factors: RowOf<Factor>
  }
}

const ImportedFactorSchema = defineEntity({
  name: 'ImportedFactor',
  properties: { id: p.uuid().primary() },
})

/** A factor that was imported once. One that was removed here is not imported again. */
export class ImportedFactor extends ImportedFactorSchema.class {}
ImportedFactorSchema.setClass(ImportedFactor)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    imported_factors: RowOf<ImportedFactor>
  }
}
