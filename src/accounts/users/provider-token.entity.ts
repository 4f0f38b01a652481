import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import { IdentityEntity } from './identity.entity.ts'

const ProviderTokenSchema = defineEntity({
  name: 'ProviderToken',
  properties: {
    identity: () =>
      p.manyToOne(IdentityEntity).primary().updateRule('no action').deleteRule('cascade'),
    sealedAccessToken: p.text().hidden(),
    sealedRefreshToken: p.text().nullable().hidden(),
    /** The expiry of the access token; null where the provider does not state it. */
    expiresAt: p.datetime().nullable(),
    /** Null where the provider does not state them. */
    scopes: p.json<string[]>().nullable(),
    /** The end of the lease of the process that renews the tokens; null while none does. */
    renewingUntil: p.datetime().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** The tokens that a provider issued for an identity, sealed. */
export class ProviderToken extends ProviderTokenSchema.class {}
ProviderTokenSchema.setClass(ProviderToken)

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    provider_tokens: RowOf<ProviderToken>
  }
}
