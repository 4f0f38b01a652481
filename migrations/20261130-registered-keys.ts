import { defineMigration } from '../src/persistence/migration.ts'

/** Which metadata of an unproved account a client brought, so that an operator's is told from it whatever it says. */
export const registeredKeys = defineMigration(({ table }) => [
  `alter table ${table('users')} add column registered_keys jsonb`,
  // Of what was there before nobody knows whose it is, and what may be a stranger's is not kept.
  `update ${table('users')} set registered_keys = coalesce(
      (select jsonb_agg(key) from jsonb_object_keys(user_metadata) key), '[]')
    where registered_by is not null`,
])
