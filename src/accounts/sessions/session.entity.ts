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
    /** The OAuth client that the session belongs to; null for one of the user's own. */
    oauthClientId: p.text().nullable(),
    /** The scopes of that client's tokens, separated by spaces. */
    scopes: p.text().nullable(),
    /** The only audience of that client's tokens. */
    oauthResource: p.text().nullable(),
    /** The thumbprint of the key that proves the possession of that client's tokens. */
    oauthKey: p.text().nullable(),
    createdAt: p.datetime(),
  },
  // Serves the sessions of a user, and the look-up of recent sessions from a network. A refresh
  // changes none of these columns.
  indexes: [
    { properties: ['user', 'openedIp', 'createdAt'] },
    { properties: ['oauthClientId'], where: { oauthClientId: { $ne: null } } },
  ],
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
