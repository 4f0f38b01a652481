import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from './user.entity.ts'

const IdentitySchema = defineEntity({
  name: 'Identity',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    provider: p.text(),
    subject: p.text(),
    identityData: p.json<Record<string, unknown>>(),
    email: p.text().nullable(),
    lastSignInAt: p.datetime().nullable(),
    /**
     * The instant of the account's first confirmed address, which has not confirmed the identity
     * yet.
     */
    suspendedAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
  indexes: [{ properties: ['email'], where: { provider: { $ne: 'email' } } }],
  uniques: [
    { properties: ['provider', 'subject'], where: { provider: { $ne: 'email' } } },
    { properties: ['user', 'provider', 'subject'] },
  ],
})

/**
 * A user's account at one provider. For `email` and `phone`, whose provider is Latchkey itself, the
 * subject is the user's id. An email identity has the address of its user: look-ups by address find
 * it through the user.
 *
 * @see OpenID Connect Core 1.0 §5.7
 */
class Identity extends IdentitySchema.class {}
IdentitySchema.setClass(Identity)

export { Identity as IdentityEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    identities: RowOf<Identity>
  }
}
