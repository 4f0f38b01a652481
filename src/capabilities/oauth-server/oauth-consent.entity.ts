import { defineEntity, p } from '@mikro-orm/core'
import { UserEntity } from '../../accounts/users/user.entity.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { OauthClientEntity } from './oauth-client.entity.ts'

const OauthConsentSchema = defineEntity({
  name: 'OauthConsent',
  properties: {
    id: p.uuid().primary(),
    user: () => p.manyToOne(UserEntity).deleteRule('cascade'),
    client: () => p.manyToOne(OauthClientEntity).deleteRule('cascade').index(),
    scopes: p.json<string[]>(),
    /**
     * The resource that the client may access for the user; none where the user granted access to
     * this service itself. @see RFC 8707
     */
    resources: p.json<string[]>(),
    grantedAt: p.datetime(),
    /**
     * The origins and schemes that the user approved as recipients of codes for these scopes; null
     * where the consent was stored without them, by an earlier version or an import.
     */
    destinations: p.json<string[]>().nullable(),
  },
  uniques: [{ properties: ['user', 'client'] }],
})

/** The access that a user granted to a client. A revocation deletes the row. */
class OauthConsent extends OauthConsentSchema.class {}
OauthConsentSchema.setClass(OauthConsent)

export { OauthConsent as OauthConsentEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_consents: RowOf<OauthConsent>
  }
}
