import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'

const OauthStateSchema = defineEntity({
  name: 'OauthState',
  properties: {
    id: p.uuid().primary(),
    provider: p.text(),
    browserHash: p.string().length(64).nullable().hidden(),
    codeChallenge: p.text().nullable(),
    codeChallengeMethod: p.text().$type<'s256' | 'plain'>().nullable(),
    codeVerifier: p.text().nullable().hidden(),
    nonce: p.text().nullable().hidden(),
    redirectTo: p.text(),
    redirectUri: p.text(),
    audience: p.text(),
    linkingUser: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    linkingSessionId: p.uuid().nullable(),
    provedIdentity: p.text().nullable().hidden(),
    invitationHash: p.string().length(43).nullable().hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/**
 * A browser flow through an external provider: the request at its start, and the values that its
 * callback is compared with. The id is the state that the provider returns.
 *
 * With `provedIdentity` (encrypted) the callback of a linking flow was received, and the id is the
 * secret of its confirmation page.
 *
 * @see RFC 6749 §10.12
 */
export class OauthState extends OauthStateSchema.class {}
OauthStateSchema.setClass(OauthState)

/** A state as PostgreSQL writes it in JSON. */
export type OauthStateRow = RowOf<OauthState>

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_states: OauthStateRow
  }
}
