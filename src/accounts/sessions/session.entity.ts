import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'
import type { AuthenticatorAssuranceLevel, StoredMethodReference } from './assurance.ts'

const SessionSchema = defineEntity({
  name: 'Session',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    aal: p.text().$type<AuthenticatorAssuranceLevel>(),
    amr: p.json<StoredMethodReference[]>(),
    /** The factor that was proved last; `aal1` requires none. */
    factorId: p.uuid().nullable(),
    refreshTokenCounter: p.integer(),
    refreshedAt: p.datetime().nullable(),
    notAfter: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    tag: p.text().nullable(),
    ip: p.type('inet').$type<string>().nullable(),
    /** The address from which the user authenticated. A refresh does not change it. */
    openedIp: p.type('inet').$type<string>().nullable(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(),
  },
  // Serves the sessions of a user, and the look-up of recent sessions from a network. A refresh
  // changes none of these columns.
  indexes: [{ properties: ['user', 'openedIp', 'createdAt'] }],
})

/**
 * One sign-in, and the counter of the refresh tokens that renew it. A refresh updates the row in
 * place; sign-out deletes it; reuse of an old token sets `revokedAt`.
 */
class Session extends SessionSchema.class {}
SessionSchema.setClass(Session)

export { Session as SessionEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    sessions: RowOf<Session>
  }
}
