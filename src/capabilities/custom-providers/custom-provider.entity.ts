import { defineEntity, p } from '@mikro-orm/core'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type { CustomProviderType } from './custom-provider.ts'

const CustomProviderSchema = defineEntity({
  name: 'CustomProvider',
  properties: {
    id: p.uuid().primary(),
    /** The name in requests and in identities: `custom:` and a name. */
    identifier: p.text().unique(),
    /** From 1 to the maximum number of providers, which concurrent requests cannot exceed so. */
    slot: p.integer().unique(),
    providerType: p.text().$type<CustomProviderType>(),
    name: p.text(),
    clientId: p.text(),
    sealedClientSecret: p.text().hidden(),
    acceptableClientIds: p.json<string[]>(),
    scopes: p.json<string[]>(),
    pkceEnabled: p.boolean(),
    attributeMapping: p.json<Record<string, unknown>>(),
    customClaimsAllowlist: p.json<string[]>(),
    authorizationParams: p.json<Record<string, string>>(),
    enabled: p.boolean(),
    emailOptional: p.boolean(),
    skipNonceCheck: p.boolean(),
    issuer: p.text().nullable(),
    discoveryUrl: p.text().nullable(),
    discoveryDocument: p.json<Record<string, unknown>>().nullable(),
    authorizationUrl: p.text().nullable(),
    tokenUrl: p.text().nullable(),
    userinfoUrl: p.text().nullable(),
    jwksUri: p.text().nullable(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
})

/** An external provider that an operator registered while the service runs. */
class CustomProvider extends CustomProviderSchema.class {}
CustomProviderSchema.setClass(CustomProvider)

export { CustomProvider as CustomProviderEntity }

declare module '../../platform/sql/tables.ts' {
  interface Tables {
    custom_providers: RowOf<CustomProvider>
  }
}
