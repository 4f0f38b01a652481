import { defineMigration } from '../src/persistence/migration.ts'

/**
 * What users are looked up by as somebody types an address. In the order of the bytes, whatever the
 * database sorts by: no other one finds beginnings.
 */
export const userLookUps = defineMigration(({ table, prefixed }) => [
  `create index ${prefixed('users_audience_email_id_index')}
    on ${table('users')} (audience, email collate "C", id)`,
])
