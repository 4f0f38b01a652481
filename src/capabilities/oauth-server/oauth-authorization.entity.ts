import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type {
  AuthorizationRequest,
  AuthorizationStatus,
} from './authorize/authorization-request.ts'
import { OauthClientEntity } from './oauth-client.entity.ts'
import { OauthConsentEntity } from './oauth-consent.entity.ts'

const OauthAuthorizationSchema = defineEntity({
  name: 'OauthAuthorization',
  properties: {
    id: p.string().length(32).primary(),
    client: () => p.manyToOne(OauthClientEntity).deleteRule('cascade'),
    /** The first user who opened the request. No other user can. */
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    /** The consent that the code rests on: a revocation deletes both. */
    consent: () => p.manyToOne(OauthConsentEntity).deleteRule('cascade').nullable().index(),
    status: p.text().$type<AuthorizationStatus>(),
    request: p.json<AuthorizationRequest>(),
    /**
     * The hash of the secret that the client submits next: a request URI, a device code or a code.
     */
    secretHash: p.string().length(64).nullable().unique().hidden(),
    userCodeHash: p.string().length(64).nullable().unique().hidden(),
    /** The sign-in of the session that consented. */
    authTime: p.datetime().nullable(),
    /** The session that consented, until its code is exchanged; then that of the client. */
    sessionId: p.uuid().nullable(),
    /** The time of the last request of a device that waits for its user. */
    polledAt: p.datetime().nullable(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().index(),
  },
  indexes: [{ properties: ['client', 'createdAt'] }],
})

/** An authorization request of a client, and the code that it ends in. @see RFC 6749 §4.1 */
class OauthAuthorization extends OauthAuthorizationSchema.class {}
OauthAuthorizationSchema.setClass(OauthAuthorization)

export { OauthAuthorization as OauthAuthorizationEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_authorizations: RowOf<OauthAuthorization>
  }
}
