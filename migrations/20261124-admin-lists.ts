import { defineMigration } from '../src/persistence/migration.ts'

/** What lists of users are read and counted by, however many there are. */
export const adminLists = defineMigration(({ table, prefixed }) => [
  `create index ${prefixed('users_audience_created_at_id_index')}
    on ${table('users')} (audience, created_at, id)`,
])
