import { defineMigration } from '../src/persistence/migration.ts'

/** How often a user was changed: whoever rewrites one sees whether there was another change in between. */
export const userVersions = defineMigration(({ table }) => [
  `alter table ${table('users')} add column version int not null default 1`,
])
