import { defineMigration } from '../src/persistence/migration.ts'

/** What was brought over from another service, and the refresh tokens that it left with its clients. */
export const importedSessions = defineMigration(({ table, prefixed }) => [
  `create table ${table('imported_tokens')} (
    token_hash varchar(64) not null primary key,
    session_id uuid not null,
    constraint ${prefixed('imported_tokens_session_id_foreign')}
      foreign key (session_id) references ${table('sessions')} (id) on delete cascade
  )`,
  `create index ${prefixed('imported_tokens_session_id_index')}
    on ${table('imported_tokens')} (session_id)`,

  // Without foreign keys: they outlast what they are about, so that it is not brought over again.
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

  `revoke all on ${['tokens', 'users', 'sessions', 'factors']
    .map((kind) => table(`imported_${kind}`))
    .join(', ')} from public`,
])
