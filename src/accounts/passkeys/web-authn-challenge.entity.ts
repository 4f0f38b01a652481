import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'

const WebAuthnChallengeSchema = defineEntity({
  name: 'WebAuthnChallenge',
  properties: {
    id: p.uuid().primary(),
    purpose: p.text().$type<'registration' | 'authentication' | 'signup'>(),
    /** Null at a sign-in: who it is, the answer says; and at a sign-up, which makes a user with the id of the challenge. */
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').nullable().index(),
    /** The session that asked to register; null elsewhere. */
    sessionId: p.uuid().nullable(),
    challengeHash: p.string().length(64).hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/** A challenge that an authenticator is to sign, once. The row goes with the first answer, right or wrong. */
export class WebAuthnChallenge extends WebAuthnChallengeSchema.class {}
WebAuthnChallengeSchema.setClass(WebAuthnChallenge)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    web_authn_challenges: RowOf<WebAuthnChallenge>
  }
}
