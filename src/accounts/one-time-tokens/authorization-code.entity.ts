import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'
import type { CodeChallenge } from './code-challenge.ts'

/** The method that proved the user before the exchange of the code. */
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
    /** The time of the proof in the session; null for that of the exchange. */
    provedAt: p.datetime().nullable(),
    sealedTokens: p.text().nullable().hidden(),
    expiresAt: p.datetime().index(),
    createdAt: p.datetime(),
  },
})

/**
 * The code at the end of a PKCE flow. It opens a session for the client that submits the verifier
 * of its code challenge. Only its hash is stored.
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
