import { defineMigration } from '../../platform/sql/migration.ts'

/** The destinations that a user approved: a consent without them precedes this column. */
export const consentDestinations = defineMigration(({ table }) => [
  `alter table ${table('oauth_consents')} add column destinations jsonb`,
])

/** The tables of the OAuth server, and the columns by which a session belongs to a client. */
export const oauthServerTables = defineMigration(({ table, prefixed }) => [
  `create table ${table('oauth_clients')} (
    id text not null primary key,
    client_type text not null,
    registration_type text not null,
    auth_method text not null,
    secret_hash varchar(64),
    redirect_uris jsonb not null,
    grant_types jsonb not null,
    client_name text,
    client_uri text,
    logo_uri text,
    jwks jsonb,
    jwks_uri text,
    post_logout_redirect_uris jsonb not null,
    backchannel_logout_uri text,
    backchannel_logout_session_required boolean not null,
    allowed_scopes jsonb,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    expires_at timestamptz
  )`,
  `create index ${prefixed('oauth_clients_expires_at_index')} on ${table('oauth_clients')} (expires_at)`,

  `create table ${table('oauth_consents')} (
    id uuid not null primary key,
    user_id uuid not null,
    client_id text not null,
    scopes jsonb not null,
    resources jsonb not null,
    granted_at timestamptz not null,
    constraint ${prefixed('oauth_consents_user_id_client_id_unique')} unique (user_id, client_id),
    constraint ${prefixed('oauth_consents_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('oauth_consents_client_id_foreign')}
      foreign key (client_id) references ${table('oauth_clients')} (id) on delete cascade
  )`,
  `create index ${prefixed('oauth_consents_client_id_index')} on ${table('oauth_consents')} (client_id)`,

  `create table ${table('oauth_authorizations')} (
    id varchar(32) not null primary key,
    client_id text not null,
    user_id uuid,
    consent_id uuid,
    status text not null,
    request jsonb not null,
    secret_hash varchar(64),
    user_code_hash varchar(64),
    auth_time timestamptz,
    session_id uuid,
    polled_at timestamptz,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    constraint ${prefixed('oauth_authorizations_secret_hash_unique')} unique (secret_hash),
    constraint ${prefixed('oauth_authorizations_user_code_hash_unique')} unique (user_code_hash),
    constraint ${prefixed('oauth_authorizations_client_id_foreign')}
      foreign key (client_id) references ${table('oauth_clients')} (id) on delete cascade,
    constraint ${prefixed('oauth_authorizations_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('oauth_authorizations_consent_id_foreign')}
      foreign key (consent_id) references ${table('oauth_consents')} (id) on delete cascade
  )`,
  `create index ${prefixed('oauth_authorizations_client_id_created_at_index')}
    on ${table('oauth_authorizations')} (client_id, created_at)`,
  ...['user_id', 'consent_id', 'expires_at'].map(
    (column) => `create index ${prefixed(`oauth_authorizations_${column}_index`)}
      on ${table('oauth_authorizations')} (${column})`,
  ),

  `create table ${table('oauth_spent_proofs')} (
    proof_hash varchar(64) not null primary key,
    expires_at timestamptz not null
  )`,
  `create index ${prefixed('oauth_spent_proofs_expires_at_index')}
    on ${table('oauth_spent_proofs')} (expires_at)`,

  ...['oauth_clients', 'oauth_consents', 'oauth_authorizations', 'oauth_spent_proofs'].map(
    (name) => `revoke all on ${table(name)} from public`,
  ),

  `alter table ${table('sessions')} add column oauth_client_id text, add column scopes text,
    add column oauth_resource text, add column oauth_key text`,
  `create index ${prefixed('sessions_oauth_client_id_index')} on ${table('sessions')} (oauth_client_id)
    where oauth_client_id is not null`,
])
