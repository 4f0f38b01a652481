import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'
import { User } from '../users/user.entity.ts'
import type { AuthenticationMethodReference, AuthenticatorAssuranceLevel } from './assurance.ts'

const SessionSchema = defineEntity({
  name: 'Session',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
    aal: p.text().$type<AuthenticatorAssuranceLevel>(),
    amr: p.json<AuthenticationMethodReference[]>(),
    /** The factor that was proved last; none is needed for `aal1`. */
    factorId: p.uuid().nullable(),
    refreshTokenCounter: p.integer(),
    refreshedAt: p.datetime().nullable(),
    notAfter: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    tag: p.text().nullable(),
    ip: p.type('inet').$type<string>().nullable(),
    /** Where the user proved themselves. A refresh does not change it. */
    openedIp: p.type('inet').$type<string>().nullable(),
    userAgent: p.text().nullable(),
    createdAt: p.datetime(),
  },
})

/**
 * One sign-in, and the counter of the refresh tokens that renew it. A refresh updates the row in
 * place; sign-out deletes it; reuse of an old token sets `revokedAt`.
 */
export class Session extends SessionSchema.class {}
SessionSchema.setClass(Session)

declare module '../sql/tables.ts' {
  interface Tables {
    sessions: RowOf<Session>
  }
}
