import { defineMigration } from '../src/persistence/migration.ts'

/** Users and how they sign in, what is sent to them, what they did, and the keys that sign for them. */
export const initial = defineMigration(({ schema, table, prefixed }) => [
  `create table ${table('users')} (
    id uuid not null primary key,
    audience text not null,
    role text not null,
    email text,
    phone text,
    password_hash text,
    email_confirmed_at timestamptz,
    phone_confirmed_at timestamptz,
    invited_at timestamptz,
    confirmation_sent_at timestamptz,
    recovery_sent_at timestamptz,
    new_email text,
    email_change_sent_at timestamptz,
    new_phone text,
    phone_change_sent_at timestamptz,
    reauthentication_sent_at timestamptz,
    last_sign_in_at timestamptz,
    app_metadata jsonb not null,
    user_metadata jsonb not null,
    is_anonymous boolean not null,
    is_sso_user boolean not null,
    banned_until timestamptz,
    deleted_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
  )`,
  `create unique index ${prefixed('users_email_unique')} on ${table('users')} (email)
    where is_sso_user = false`,
  `create unique index ${prefixed('users_phone_unique')} on ${table('users')} (phone)
    where is_sso_user = false`,

  `create table ${table('identities')} (
    id uuid not null primary key,
    user_id uuid not null,
    provider text not null,
    subject text not null,
    identity_data jsonb not null,
    last_sign_in_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint ${prefixed('identities_provider_subject_unique')} unique (provider, subject),
    constraint ${prefixed('identities_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('identities_user_id_index')} on ${table('identities')} (user_id)`,

  // A refresh updates the row in place: room on the page keeps that update out of the indexes.
  `create table ${table('sessions')} (
    id uuid not null primary key,
    user_id uuid not null,
    aal text not null,
    amr jsonb not null,
    refresh_token_counter int not null,
    refreshed_at timestamptz,
    not_after timestamptz,
    revoked_at timestamptz,
    tag text,
    ip inet,
    user_agent text,
    created_at timestamptz not null,
    constraint ${prefixed('sessions_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  ) with (fillfactor = 70)`,
  `create index ${prefixed('sessions_user_id_index')} on ${table('sessions')} (user_id)`,

  `create table ${table('one_time_tokens')} (
    id uuid not null primary key,
    user_id uuid not null,
    purpose text not null,
    requested_by text not null,
    sent_to text not null,
    token_hash varchar(64) not null,
    code_hash varchar(64) not null,
    attempts smallint not null,
    code_challenge text,
    code_challenge_method text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('one_time_tokens_user_id_purpose_unique')} unique (user_id, purpose),
    constraint ${prefixed('one_time_tokens_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('one_time_tokens_token_hash_index')}
    on ${table('one_time_tokens')} (token_hash)`,

  `create table ${table('audit_entries')} (
    id uuid not null primary key,
    created_at timestamptz not null,
    action smallint not null,
    actor_id uuid,
    actor_role text,
    user_id uuid,
    traits jsonb,
    ip inet,
    request_id text
  )`,

  `create table ${table('signing_keys')} (
    id text not null primary key,
    algorithm text not null,
    public_jwk jsonb not null,
    private_jwk text not null,
    signs_from timestamptz not null,
    retired_at timestamptz,
    created_at timestamptz not null
  )`,

  ...helperFunctions(schema),

  `revoke all on schema ${schema} from public`,
  // Ours alone: an extension may have put things here that everybody needs.
  `revoke all on ${[
    ...['users', 'identities', 'sessions', 'one_time_tokens', 'audit_entries', 'signing_keys'],
  ]
    .map(table)
    .join(', ')} from public`,
  `revoke all on function ${schema}.jwt(), ${schema}.uid(), ${schema}.role(), ${schema}.email()
    from public`,
  `grant usage on schema ${schema} to public`,
  `grant execute on function ${schema}.jwt(), ${schema}.uid(), ${schema}.role(), ${schema}.email()
    to public`,
])

/**
 * What row-level-security policies ask about the caller. They read the claims that a database REST
 * layer (or the host itself) sets for a transaction in `request.jwt.claims`.
 */
function helperFunctions(schema: string): string[] {
  const define = (name: string, type: string, body: string) =>
    `create or replace function ${schema}.${name}() returns ${type}
      language sql stable set search_path = '' as $$ ${body} $$`
  return [
    define('jwt', 'jsonb', `select nullif(current_setting('request.jwt.claims', true), '')::jsonb`),
    define('uid', 'uuid', `select nullif(${schema}.jwt() ->> 'sub', '')::uuid`),
    define('role', 'text', `select ${schema}.jwt() ->> 'role'`),
    define('email', 'text', `select ${schema}.jwt() ->> 'email'`),
  ]
}
