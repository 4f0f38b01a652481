import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { OauthClientEntity } from './oauth-client.entity.ts'

const OauthLoginSchema = defineEntity({
  name: 'OauthLogin',
  properties: {
    sessionId: p.uuid().primary(),
    client: () => p.manyToOne(OauthClientEntity).deleteRule('cascade').index(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade').index(),
    createdAt: p.datetime(),
  },
})

/** A session whose end is reported to its client. @see OpenID Connect Back-Channel Logout 1.0 */
class OauthLogin extends OauthLoginSchema.class {}
OauthLoginSchema.setClass(OauthLogin)

export { OauthLogin as OauthLoginEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_logins: RowOf<OauthLogin>
  }
}
