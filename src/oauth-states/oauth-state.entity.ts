import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../sql/row-of.ts'
import { User } from '../users/user.entity.ts'

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
    audience: p.text(),
    linkingUser: () => p.manyToOne(User).deleteRule('cascade').nullable().index(),
    linkingSessionId: p.uuid().nullable(),
    invitationHash: p.string().length(64).nullable().hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/**
 * Somebody who is at an external provider: what was asked for when they left, and what has to be right when they come
 * back. The id is the state that the provider hands back. @see RFC 6749 §10.12
 */
export class OauthState extends OauthStateSchema.class {}
OauthStateSchema.setClass(OauthState)

/** A state as PostgreSQL writes it in JSON. */
export type OauthStateRow = RowOf<OauthState>

declare module '../sql/tables.ts' {
  interface Tables {
    oauth_states: OauthStateRow
  }
}
