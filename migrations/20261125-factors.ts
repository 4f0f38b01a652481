import { defineMigration } from '../src/persistence/migration.ts'

/** Second factors, the challenges to prove them, and which of them a session was proved by. */
export const factors = defineMigration(({ table, prefixed }) => [
  `create table ${table('factors')} (
    id uuid not null primary key,
    user_id uuid not null,
    friendly_name text,
    factor_type text not null,
    status text not null,
    secret text,
    phone text,
    last_used_step int,
    web_authn_credential jsonb,
    web_authn_aaguid uuid,
    last_web_authn_challenge jsonb,
    last_challenged_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint ${prefixed('factors_user_id_foreign')}
      foreign key (user_id) references ${table('users')} (id) on delete cascade,
    constraint ${prefixed('factors_user_id_friendly_name_unique')} unique (user_id, friendly_name),
    constraint ${prefixed('factors_user_id_phone_unique')} unique (user_id, phone)
  )`,
  `create index ${prefixed('factors_created_at_index')} on ${table('factors')} (created_at)
    where status = 'unverified'`,

  `create table ${table('challenges')} (
    id uuid not null primary key,
    factor_id uuid not null,
    code_hash varchar(64),
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

  `alter table ${table('sessions')} add column factor_id uuid`,

  `revoke all on ${table('factors')}, ${table('challenges')} from public`,
])
