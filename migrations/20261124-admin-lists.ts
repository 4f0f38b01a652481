import { defineMigration, type MigrationNames } from '../src/persistence/migration.ts'

/** What lists of users are read and counted by, however many there are, without making sign-ins slow. */
export const adminLists = defineMigration((names) => [
  `create index ${names.prefixed('users_audience_created_at_id_index')}
    on ${names.table('users')} (audience, created_at, id)`,
  trigramIndex(names),
  // Each sign-in and each request for a link updates the row in place: room on the page keeps that
  // update out of all these indexes.
  `alter table ${names.table('users')} set (fillfactor = 85)`,
])

/**
 * An index for parts of addresses and names, where the extension `pg_trgm` is there, in whatever schema.
 * Who installs it later may make the index by hand: docs/users.md.
 */
const trigramIndex = ({ table, prefixed }: MigrationNames) => `do $do$
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
