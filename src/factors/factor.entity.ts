import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'
import { User } from '../users/user.entity.ts'

const FactorSchema = defineEntity({
  name: 'Factor',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    /** Null for a factor without a name, of which a user may enroll one. */
    friendlyName: p.text().nullable(),
    factorType: p.text().$type<'totp' | 'phone' | 'webauthn' | 'recovery_code'>(),
    status: p.text().$type<'unverified' | 'verified'>(),
    secret: p.text().nullable().hidden(),
    phone: p.text().nullable(),
    lastUsedStep: p.integer().nullable(),
    webAuthnCredential: p.json<Record<string, unknown>>().nullable().hidden(),
    webAuthnAaguid: p.uuid().nullable(),
    lastWebAuthnChallenge: p.json<Record<string, unknown>>().nullable(),
    lastChallengedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [{ properties: ['createdAt'], where: { status: 'unverified' } }],
  uniques: [{ properties: ['user', 'friendlyName'] }, { properties: ['user', 'phone'] }],
})

/**
 * A means of proof beside the first one: an authenticator app, a phone, a security key or a set of recovery codes. `secret` is
 * what an app and we share, sealed (`factor-secret.ts`); `lastUsedStep` is the time step of the last
 * code that was taken from it, since none is good twice.
 */
export class Factor extends FactorSchema.class {}
FactorSchema.setClass(Factor)

declare module '../sql/tables.ts' {
  interface Tables {
    factors: RowOf<Factor>
  }
}
