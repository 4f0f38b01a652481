import { defineEntity, p } from '@mikro-orm/core'
import type { FactorType } from '../../platform/factor-kinds/factor-kinds.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const FactorSchema = defineEntity({
  name: 'Factor',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    /** Null for a factor without a name, of which a user may enroll one. */
    friendlyName: p.text().nullable(),
    factorType: p.text().$type<FactorType>(),
    status: p.text().$type<'unverified' | 'verified'>(),
    secret: p.text().nullable().hidden(),
    phone: p.text().nullable(),
    lastUsedStep: p.integer().nullable(),
    /** What a security key calls its credential, in base64url; null until it was registered, as all up to `backedUp`. */
    credentialId: p.text().nullable().unique(),
    /** In COSE, in base64url. */
    publicKey: p.text().nullable().hidden(),
    signCount: p.bigint('number').nullable(),
    transports: p.json<string[]>().nullable(),
    attestationFormat: p.text().nullable(),
    /** The model of a security key, where it tells. */
    webAuthnAaguid: p.uuid().nullable(),
    backupEligible: p.boolean().nullable(),
    backedUp: p.boolean().nullable(),
    /**
     * When the factor was added or replaced without a recent proof; null where there was one. In sessions opened
     * before, its proof satisfies no check for a recent proof.
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
 * A means of proof beside the first one: an authenticator app, a phone, a security key or a set of recovery codes. `secret` is
 * what an app and we share, or the key of a set of recovery codes, sealed (`factor-secret.ts`); `lastUsedStep` is the time step of the last
 * code that was taken from it, since none is good twice. `signCount` is how often a security key says that it has
 * signed; some always say 0.
 */
class Factor extends FactorSchema.class {}
FactorSchema.setClass(Factor)

export { Factor as FactorEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    factors: RowOf<Factor>
  }
}
