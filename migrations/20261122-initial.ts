import { defineMigration, type MigrationNames } from '../src/platform/sql/migration.ts'

/** Everything that is stored: the first step. */
export const initial = defineMigration((names) => [
  ...users(names),
  ...sessions(names),
  ...factors(names),
  ...oneTimeTokens(names),
  ...oauthStates(names),
  ...messages(names),
  ...auditLog(names),
  ...decisions(names),
  ...signingKeys(names),
  ...limits(names),
  ...passkeys(names),
  ...wallets(names),
  ...imports(names),
  ...helperFunctions(names),
  ...grants(names),
])

/**
 * Each sign-in and each request for a link updates the row. The fill factor leaves space on the
 * page for the new version of the row, so that such an update changes none of these indexes. The
 * columns that these updates change are the last ones, next to each other: the write-ahead log of
 * an update contains the part of the row from the first changed column to the last one.
 *
 * The index of unique addresses also serves searches by prefix. An index finds prefixes only if it
 * is in the order of bytes, whatever the collation of the database: `email` has collation "C" for
 * that reason.
 */
const users = (names: MigrationNames): string[] => {
  const { table, prefixed } = names
  return [
    `create table ${table('users')} (
      id uuid not null primary key,
      audience text not null,
      role text not null,
      email text collate "C",
      phone text,
      username text,
      username_key text,
      password_hash text,
      email_confirmed_at timestamptz,
      phone_confirmed_at timestamptz,
      invited_at timestamptz,
      new_email text,
      new_phone text,
      change_proved_at timestamptz,
      app_metadata jsonb not null,
      user_metadata jsonb not null,
      registered_by text,
      registered_from text,
      registered_keys jsonb,
      is_anonymous boolean not null,
      is_sso_user boolean not null,
      email_change_confirm_status smallint not null default 0,
      banned_until timestamptz,
      deleted_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      confirmation_sent_at timestamptz,
      recovery_sent_at timestamptz,
      email_change_sent_at timestamptz,
      phone_change_sent_at timestamptz,
      reauthentication_sent_at timestamptz,
      last_sign_in_at timestamptz,
      version int not null default 1
    ) with (fillfactor = 85)`,
    `create unique index ${prefixed('users_email_unique')} on ${table('users')} (email)
      include (audience) where is_sso_user = false`,
    `create index ${prefixed('users_audience_email_id_index')}
      on ${table('users')} (audience, email, id) where is_sso_user = true`,
    `create unique index ${prefixed('users_phone_unique')} on ${table('users')} (phone)
      where is_sso_user = false and phone is not null`,
    `create unique index ${prefixed('users_audience_username_key_unique')}
      on ${table('users')} (audience, username_key) where username_key is not null`,
    `create index ${prefixed('users_audience_created_at_id_index')}
      on ${table('users')} (audience, created_at, id)`,
    trigramIndex(names),
    // Who came long ago, and may be stale.
    `create index ${prefixed('users_created_at_id_index')} on ${table('users')} (created_at, id)
      where is_anonymous = true`,

    `create table ${table('identities')} (
      id uuid not null primary key,
      user_id uuid not null,
      provider text not null,
      subject text not null,
      identity_data jsonb not null,
      email text,
      last_sign_in_at timestamptz,
      suspended_at timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint ${prefixed('identities_user_id_foreign')}
        foreign key (user_id) references ${table('users')} (id) on delete cascade
    )`,
    // Finds the identities of a user, and permits one identity for email: its subject is the user's id.
    `create unique index ${prefixed('identities_user_id_provider_subject_unique')}
      on ${table('identities')} (user_id, provider, subject)`,
    `create unique index ${prefixed('identities_provider_subject_unique')}
      on ${table('identities')} (provider, subject) where provider <> 'email'`,
    `create index ${prefixed('identities_email_index')} on ${table('identities')} (email)
      where provider <> 'email'`,

    `create table ${table('provider_tokens')} (
      identity_id uuid not null primary key,
      sealed_access_token text not null,
      sealed_refresh_token text,
      expires_at timestamptz,
      scopes jsonb,
      renewing_until timestamptz,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      constraint ${prefixed('provider_tokens_identity_id_foreign')}
        foreign key (identity_id) references ${table('identities')} (id) on delete cascade
    )`,
  ]
}

/**
 * An index for parts of addresses and names, where the extension `pg_trgm` is there, in whatever schema.
 * Who installs it later may make the index by hand: docs/users.md.
 */
const trigramIndex = ({ table, prefixed }: MigrationNames): string => `do $do$
  declare place text := (
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm'
  );
  begin
    if place is not null then
      execute format($index$
        create index ${prefixed('users_trigrams')} on ${table('users')} using gin
          (email %1$s.gin_trgm_ops, (user_metadata ->> 'full_name') %1$s.gin_trgm_ops)
      $index$, place);
    end if;
  end $do$`

/** A refresh updates the row in place, as above. */
const sessions = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('sessions')} (
    id uuid not null primary key,
    user_id uuid not null,
    aal text not null,
    amr jsonb not null,
    factor_id uuid,
    refresh_token_counter int not null,
    refreshed_at timestamptz,
    not_after timestamptz,
    revoked_at timestamptz,
    tag text,
    ip inet,
    opened_ip inet,
    user_agent text,
    created_at timestamptz not null,
    constraint ${prefixed('sessions_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  ) with (fillfactor = 70)`,
  `create index ${prefixed('sessions_user_id_opened_ip_created_at_index')}
    on ${table('sessions')} (user_id, opened_ip, created_at)`,
]

const factors = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('factors')} (
    id uuid not null primary key,
    user_id uuid not null,
    friendly_name text,
    factor_type text not null,
    status text not null,
    secret text,
    phone text,
    last_used_step int,
    credential_id text,
    public_key text,
    sign_count bigint,
    transports jsonb,
    attestation_format text,
    web_authn_aaguid uuid,
    backup_eligible boolean,
    backed_up boolean,
    added_without_proof_at timestamptz,
    last_challenged_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint ${prefixed('factors_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('factors_user_id_friendly_name_unique')} unique (user_id, friendly_name),
    constraint ${prefixed('factors_user_id_phone_unique')} unique (user_id, phone),
    constraint ${prefixed('factors_credential_id_unique')} unique (credential_id)
  )`,
  `create index ${prefixed('factors_created_at_index')} on ${table('factors')} (created_at)
    where status = 'unverified'`,

  `create table ${table('challenges')} (
    id uuid not null primary key,
    factor_id uuid not null,
    code_hash varchar(64),
    challenge_hash varchar(64),
    session_id uuid,
    attempts smallint not null,
    ip inet,
    expires_at timestamptz not null,
    spent_at timestamptz,
    created_at timestamptz not null,
    constraint ${prefixed('challenges_factor_id_foreign')}
      foreign key (factor_id) references ${table('factors')} (id) on delete cascade
  )`,
  `create index ${prefixed('challenges_factor_id_index')} on ${table('challenges')} (factor_id)`,
  `create index ${prefixed('challenges_expires_at_index')} on ${table('challenges')} (expires_at)`,

  `create table ${table('recovery_codes')} (
    id uuid not null primary key,
    factor_id uuid not null,
    code_hash varchar(64) not null,
    spent_at timestamptz,
    created_at timestamptz not null,
    constraint ${prefixed('recovery_codes_factor_id_foreign')}
      foreign key (factor_id) references ${table('factors')} (id) on delete cascade,
    constraint ${prefixed('recovery_codes_factor_id_code_hash_unique')} unique (factor_id, code_hash)
  )`,
]

const oneTimeTokens = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('one_time_tokens')} (
    id uuid not null primary key,
    user_id uuid not null,
    purpose text not null,
    requested_by text not null,
    requested_from text,
    audience text not null default '',
    sent_to text not null,
    credential_id uuid,
    token_hash varchar(43) not null,
    code_hash varchar(43) not null,
    code_challenge text,
    code_challenge_method text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('one_time_tokens_user_id_purpose_requested_from_unique')}
      unique (user_id, purpose, requested_from),
    constraint ${prefixed('one_time_tokens_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('one_time_tokens_sent_to_index')}
    on ${table('one_time_tokens')} (sent_to)`,

  `create table ${table('authorization_codes')} (
    id uuid not null primary key,
    user_id uuid not null,
    code_hash varchar(64) not null,
    code_challenge text not null,
    code_challenge_method text not null,
    method text not null,
    proved_at timestamptz,
    sealed_tokens text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('authorization_codes_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('authorization_codes_code_hash_unique')} unique (code_hash)
  )`,
  `create index ${prefixed('authorization_codes_user_id_index')}
    on ${table('authorization_codes')} (user_id)`,
  `create index ${prefixed('authorization_codes_expires_at_index')}
    on ${table('authorization_codes')} (expires_at)`,
]

/** People who are at an external provider. */
const oauthStates = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('oauth_states')} (
    id uuid not null primary key,
    provider text not null,
    browser_hash varchar(64),
    code_challenge text,
    code_challenge_method text,
    code_verifier text,
    nonce text,
    redirect_to text not null,
    redirect_uri text not null,
    audience text not null,
    linking_user_id uuid,
    linking_session_id uuid,
    proved_identity text,
    invitation_hash varchar(43),
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('oauth_states_linking_user_id_foreign')}
      foreign key (linking_user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('oauth_states_linking_user_id_index')}
    on ${table('oauth_states')} (linking_user_id)`,
  `create index ${prefixed('oauth_states_expires_at_index')} on ${table('oauth_states')} (expires_at)`,
]

/**
 * The result of a delivery is stored in the last columns, next to each other, and in space that the
 * fill factor leaves on the page, as in `users`.
 */
const messages = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('outbox_messages')} (
    id uuid not null primary key,
    user_id uuid,
    channel text not null,
    kind text not null,
    recipient text not null,
    attempts smallint not null,
    expires_at timestamptz,
    created_at timestamptz not null,
    body text,
    status text not null,
    next_attempt_at timestamptz,
    settled_at timestamptz,
    carrier_message_id text,
    last_error text,
    constraint ${prefixed('outbox_messages_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  ) with (fillfactor = 70)`,
  `create index ${prefixed('outbox_messages_user_id_index')}
    on ${table('outbox_messages')} (user_id)`,
  `create index ${prefixed('outbox_messages_channel_next_attempt_at_index')}
    on ${table('outbox_messages')} (channel, next_attempt_at) where next_attempt_at is not null`,
  // Those that wait and are delivered in the order of each recipient.
  `create index ${prefixed('outbox_messages_recipient_id_index')}
    on ${table('outbox_messages')} (recipient, id)
    where channel = 'events' and next_attempt_at is not null`,
]

/** It is searched by whom it is about: for operators, and for erasure. */
const auditLog = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('audit_entries')} (
    id uuid not null primary key,
    created_at timestamptz not null,
    action smallint not null,
    actor_id uuid,
    actor_role text,
    user_id uuid,
    traits jsonb,
    ip inet,
    request_id text,
    occurrences integer
  )`,
  ...['actor_id', 'user_id'].map(
    (column) => `create index ${prefixed(`audit_entries_${column}_index`)}
      on ${table('audit_entries')} (${column}) where ${column} is not null`,
  ),
]

/** Kept for a day, for operators who ask why a request was refused. */
const decisions = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('decisions')} (
    id uuid not null primary key,
    request_id text not null,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    endpoint text not null,
    status smallint not null,
    kind text not null,
    rule text not null
  )`,
  ...['request_id', 'expires_at'].map(
    (column) => `create index ${prefixed(`decisions_${column}_index`)}
      on ${table('decisions')} (${column})`,
  ),
]

const signingKeys = ({ table }: MigrationNames): string[] => [
  `create table ${table('signing_keys')} (
    id text not null primary key,
    algorithm text not null,
    public_jwk jsonb not null,
    private_jwk text not null,
    signs_from timestamptz not null,
    retired_at timestamptz,
    created_at timestamptz not null
  )`,
]

/** Where requests per client, and passwords tried in a row, are counted. */
const limits = ({ table, prefixed }: MigrationNames): string[] => [
  `create unlogged table ${table('rate_limit_buckets')} (
    key varchar(64) not null primary key,
    tokens double precision not null,
    refilled_at timestamptz not null
  )`,
  `create index ${prefixed('rate_limit_buckets_refilled_at_index')}
    on ${table('rate_limit_buckets')} (refilled_at)`,

  `create unlogged table ${table('password_attempts')} (
    key varchar(64) not null primary key,
    failures int not null,
    last_attempt uuid not null,
    attempted_at timestamptz not null
  )`,
  `create index ${prefixed('password_attempts_attempted_at_index')}
    on ${table('password_attempts')} (attempted_at)`,
]

/** Passkeys, and the challenges that they sign. Whoever signs in is not known before they answer. */
const passkeys = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('passkeys')} (
    id uuid not null primary key,
    user_id uuid not null,
    credential_id text not null,
    public_key text not null,
    sign_count bigint not null,
    transports jsonb not null,
    attestation_format text not null,
    aaguid uuid not null,
    backup_eligible boolean not null,
    backed_up boolean not null,
    friendly_name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    last_used_at timestamptz,
    suspended_at timestamptz,
    constraint ${prefixed('passkeys_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('passkeys_credential_id_unique')} unique (credential_id)
  )`,
  `create index ${prefixed('passkeys_user_id_index')} on ${table('passkeys')} (user_id)`,

  `create table ${table('web_authn_challenges')} (
    id uuid not null primary key,
    purpose text not null,
    user_id uuid,
    session_id uuid,
    challenge_hash varchar(64) not null,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    constraint ${prefixed('web_authn_challenges_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade
  )`,
  `create index ${prefixed('web_authn_challenges_user_id_index')}
    on ${table('web_authn_challenges')} (user_id)`,
  `create index ${prefixed('web_authn_challenges_expires_at_index')}
    on ${table('web_authn_challenges')} (expires_at)`,
]

/** Without foreign keys: they outlast the users who signed in with them. */
const wallets = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('spent_wallet_messages')} (
    message_hash varchar(64) not null primary key,
    expires_at timestamptz not null
  )`,
  `create index ${prefixed('spent_wallet_messages_expires_at_index')}
    on ${table('spent_wallet_messages')} (expires_at)`,
  `create table ${table('spent_id_tokens')} (
    token_hash varchar(64) not null primary key,
    expires_at timestamptz not null
  )`,
  `create index ${prefixed('spent_id_tokens_expires_at_index')}
    on ${table('spent_id_tokens')} (expires_at)`,
]

/**
 * What was brought over from another service, and the refresh tokens that it left with its clients. The last
 * four have no foreign keys: they outlast what they are about, so that it is not brought over again.
 */
const imports = ({ table, prefixed }: MigrationNames): string[] => [
  `create table ${table('imported_tokens')} (
    token_hash varchar(64) not null primary key,
    session_id uuid not null,
    constraint ${prefixed('imported_tokens_session_id_foreign')}
      foreign key (session_id) references ${table('sessions')} (id) on delete cascade
  )`,
  `create index ${prefixed('imported_tokens_session_id_index')}
    on ${table('imported_tokens')} (session_id)`,

  `create table ${table('imported_users')} (
    id uuid not null primary key,
    fingerprint varchar(64) not null,
    updated_at timestamptz not null
  )`,
  `create table ${table('imported_sessions')} (
    id uuid not null primary key
  )`,
  `create table ${table('imported_factors')} (
    id uuid not null primary key
  )`,
  `create table ${table('imported_passkeys')} (
    id uuid not null primary key
  )`,
]

/**
 * What row-level-security policies ask about the caller. They read the claims that a database REST
 * layer (or the host itself) sets for a transaction in `request.jwt.claims`.
 */
function helperFunctions({ schema }: MigrationNames): string[] {
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

/** Of tables, ours alone: an extension may have put things here that everybody needs. */
function grants({ schema, table }: MigrationNames): string[] {
  const tables = [
    'users',
    'identities',
    'provider_tokens',
    'sessions',
    'factors',
    'challenges',
    'recovery_codes',
    'passkeys',
    'web_authn_challenges',
    'one_time_tokens',
    'authorization_codes',
    'oauth_states',
    'outbox_messages',
    'audit_entries',
    'decisions',
    'signing_keys',
    'rate_limit_buckets',
    'password_attempts',
    'imported_tokens',
    'imported_users',
    'imported_sessions',
    'imported_factors',
    'imported_passkeys',
    'spent_id_tokens',
    'spent_wallet_messages',
  ]
  const functions = ['jwt', 'uid', 'role', 'email'].map((name) => `${schema}.${name}()`).join(', ')
  return [
    `revoke all on schema ${schema} from public`,
    `revoke all on ${tables.map(table).join(', ')} from public`,
    `revoke all on function ${functions} from public`,
    `grant usage on schema ${schema} to public`,
    `grant execute on function ${functions} to public`,
  ]
}
