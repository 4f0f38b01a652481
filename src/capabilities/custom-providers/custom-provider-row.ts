import type { RowOf } from '../../platform/sql/row-of.ts'
import type { CustomProviderEntity } from './custom-provider.entity.ts'
import type { CustomProvider } from './custom-provider.ts'

/** A provider as PostgreSQL writes it in JSON. */
export type CustomProviderRow = RowOf<CustomProviderEntity>

/** The columns of the table, which inserts name. */
const columns: Record<keyof CustomProviderRow, true> = {
  id: true,
  identifier: true,
  slot: true,
  provider_type: true,
  name: true,
  client_id: true,
  sealed_client_secret: true,
  acceptable_client_ids: true,
  scopes: true,
  pkce_enabled: true,
  attribute_mapping: true,
  custom_claims_allowlist: true,
  authorization_params: true,
  enabled: true,
  email_optional: true,
  skip_nonce_check: true,
  issuer: true,
  discovery_url: true,
  discovery_document: true,
  authorization_url: true,
  token_url: true,
  userinfo_url: true,
  jwks_uri: true,
  created_at: true,
  updated_at: true,
}

export const customProviderColumns: readonly string[] = Object.keys(columns)

/** Returns the context of the box of a client secret. */
export const clientSecretBox = (id: string): string => `custom-provider:${id}`

export const toCustomProvider = (row: CustomProviderRow): CustomProvider => ({
  id: row.id,
  providerType: row.provider_type,
  identifier: row.identifier,
  name: row.name,
  clientId: row.client_id,
  acceptableClientIds: row.acceptable_client_ids,
  scopes: row.scopes,
  pkceEnabled: row.pkce_enabled,
  attributeMapping: row.attribute_mapping,
  customClaimsAllowlist: row.custom_claims_allowlist,
  authorizationParams: row.authorization_params,
  enabled: row.enabled,
  emailOptional: row.email_optional,
  skipNonceCheck: row.skip_nonce_check,
  issuer: row.issuer,
  discoveryUrl: row.discovery_url,
  discoveryDocument: row.discovery_document,
  authorizationUrl: row.authorization_url,
  tokenUrl: row.token_url,
  userinfoUrl: row.userinfo_url,
  jwksUri: row.jwks_uri,
  createdAt: new Date(row.created_at),
  updatedAt: new Date(row.updated_at),
})
