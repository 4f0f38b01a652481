import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type {
  OauthAuthMethod,
  OauthClientType,
  OauthKeySet,
  OauthRegistrationType,
} from './clients/oauth-client.ts'

const OauthClientSchema = defineEntity({
  name: 'OauthClient',
  properties: {
    /** A UUID, or the URL of the client's metadata document. */
    id: p.text().primary(),
    clientType: p.text().$type<OauthClientType>(),
    registrationType: p.text().$type<OauthRegistrationType>(),
    authMethod: p.text().$type<OauthAuthMethod>(),
    secretHash: p.string().length(64).nullable().hidden(),
    redirectUris: p.json<string[]>(),
    grantTypes: p.json<string[]>(),
    clientName: p.text().nullable(),
    clientUri: p.text().nullable(),
    logoUri: p.text().nullable(),
    jwks: p.json<OauthKeySet>().nullable(),
    jwksUri: p.text().nullable(),
    postLogoutRedirectUris: p.json<string[]>(),
    backchannelLogoutUri: p.text().nullable(),
    backchannelLogoutSessionRequired: p.boolean(),
    /** The scopes that the client may request; null for all. */
    allowedScopes: p.json<string[]>().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
    /** The end of a client that registered itself and was not used yet; null for any other. */
    expiresAt: p.datetime().nullable().index(),
  },
})

/** An application that may request access to accounts. Only the hash of its secret is stored. */
class OauthClient extends OauthClientSchema.class {}
OauthClientSchema.setClass(OauthClient)

export { OauthClient as OauthClientEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    oauth_clients: RowOf<OauthClient>
  }
}
