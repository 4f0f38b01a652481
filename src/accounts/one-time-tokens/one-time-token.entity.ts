import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { UserEntity } from '../users/user.entity.ts'
import type { CodeChallenge } from './code-challenge.ts'

/**
 * The effect of a consumed token. Sign-up and invitation share one purpose, recovery and magic link
 * another, so that a new message of either kind revokes the old one.
 */
export type OneTimeTokenPurpose =
  | 'confirmation'
  | 'recovery'
  | 'email_change_new'
  | 'email_change_current'
  | 'phone_change'
  | 'reauthentication'
  | 'credential'

/**
 * The request that caused a token. `signup` includes every message that confirms the sign-up that
 * set the password: rule 2 of the design requires it.
 */
export type TokenRequester =
  | 'signup'
  | 'otp'
  | 'recover'
  | 'invite'
  | 'change'
  | 'reauthenticate'
  | 'provider'
  | 'credential'

const OneTimeTokenSchema = defineEntity({
  name: 'OneTimeToken',
  properties: {
    /** The first half of `tokenHash`: see `tokenIdOf`. */
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    purpose: p.text().$type<OneTimeTokenPurpose>(),
    requestedBy: p.text().$type<TokenRequester>(),
    requestedFrom: p.text().nullable(),
    audience: p.text().default(''),
    sentTo: p.text().index(),
    /** The suspended passkey or identity that the token confirms; null for every other purpose. */
    credentialId: p.uuid().nullable(),
    tokenHash: p.string().length(43).hidden(),
    codeHash: p.string().length(43).hidden(),
    codeChallenge: p.text().nullable(),
    codeChallengeMethod: p.text().$type<CodeChallenge['method']>().nullable(),
    expiresAt: p.datetime(),
    createdAt: p.datetime(),
  },
  uniques: [{ properties: ['user', 'purpose', 'requestedFrom'] }],
})

/**
 * A secret sent to an address. Consuming it proves control of the address. It has two forms, the
 * secret of a link and a short code, and only their hashes are stored.
 */
export class OneTimeToken extends OneTimeTokenSchema.class {}
OneTimeTokenSchema.setClass(OneTimeToken)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    one_time_tokens: RowOf<OneTimeToken>
  }
}
