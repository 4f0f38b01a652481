import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'
import type { CodeChallenge } from './code-challenge.ts'

/** How a session was earned whose code is exchanged. */
export type FlowMethod =
  | 'email/signup'
  | 'invite'
  | 'magiclink'
  | 'recovery'
  | 'email_change'
  | 'oauth'

const AuthorizationCodeSchema = defineEntity({
  name: 'AuthorizationCode',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    codeHash: p.string().length(64).unique().hidden(),
    codeChallenge: p.text(),
    codeChallengeMethod: p.text().$type<CodeChallenge['method']>(),
    method: p.text().$type<FlowMethod>(),
    /** The time of the proof that the session contains; null for that of the exchange. */
    provedAt: p.datetime().nullable(),
    sealedTokens: p.text().nullable().hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/**
 * What a link of a PKCE request ends in: a code that opens a session for whoever knows the verifier
 * of its challenge. Only its hash is kept.
 *
 * @see RFC 7636 §4.4
 */
export class AuthorizationCode extends AuthorizationCodeSchema.class {}
AuthorizationCodeSchema.setClass(AuthorizationCode)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    authorization_codes: RowOf<AuthorizationCode>
  }
}
