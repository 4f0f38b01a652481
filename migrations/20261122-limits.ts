import { defineMigration } from '../src/persistence/migration.ts'

/** Where requests per client, and passwords tried in a row, are counted. */
export const limits = defineMigration(({ table, prefixed }) => [
  `create unlogged table ${table('rate_limit_buckets')} (
    key varchar(64) not null primary key,
    tokens double precision not null,
    refilled_at timestamptz not null
  )`,
  `create index ${prefixed('rate_limit_buckets_refilled_at_index')}
    on ${table('rate_limit_buckets')} (refilled_at)`,

  `create table ${table('password_attempts')} (
    key varchar(64) not null primary key,
    failures int not null,
    last_attempt uuid not null,
    attempted_at timestamptz not null
  )`,
  `create index ${prefixed('password_attempts_attempted_at_index')}
    on ${table('password_attempts')} (attempted_at)`,
])
