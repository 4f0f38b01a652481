import { defineMigration } from '../../platform/sql/migration.ts'

/** The table of providers that operators register. */
export const customProviderTable = defineMigration(({ table, prefixed }) => [
  `create table ${table('custom_providers')} (
    id uuid not null primary key,
    identifier text not null,
    slot int not null,
    provider_type text not null,
    name text not null,
    client_id text not null,
    sealed_client_secret text not null,
    acceptable_client_ids jsonb not null,
    scopes jsonb not null,
    pkce_enabled boolean not null,
    attribute_mapping jsonb not null,
    custom_claims_allowlist jsonb not null,
    authorization_params jsonb not null,
    enabled boolean not null,
    email_optional boolean not null,
    skip_nonce_check boolean not null,
    issuer text,
    discovery_url text,
    discovery_document jsonb,
    authorization_url text,
    token_url text,
    userinfo_url text,
    jwks_uri text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint ${prefixed('custom_providers_identifier_unique')} unique (identifier),
    constraint ${prefixed('custom_providers_slot_unique')} unique (slot)
  )`,
  `revoke all on ${table('custom_providers')} from public`,
])
