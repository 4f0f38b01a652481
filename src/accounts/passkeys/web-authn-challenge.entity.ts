import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const WebAuthnChallengeSchema = defineEntity({
  name: 'WebAuthnChallenge',
  properties: {
    id: p.uuid().primary(),
    purpose: p.text().$type<'registration' | 'authentication' | 'signup'>(),
    /**
     * Null at a sign-in, whose response identifies the user, and at a sign-up, which creates a user
     * with the id of the challenge.
     */
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    /** The session that requested the registration; null for the other purposes. */
    sessionId: p.uuid().nullable(),
    challengeHash: p.string().length(64).hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/**
 * A challenge for one signature of an authenticator. The first response deletes the row, whether or
 * not it is valid.
 */
export class WebAuthnChallenge extends WebAuthnChallengeSchema.class {}
WebAuthnChallengeSchema.setClass(WebAuthnChallenge)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    web_authn_challenges: RowOf<WebAuthnChallenge>
  }
}
