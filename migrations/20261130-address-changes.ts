import { defineMigration } from '../src/platform/sql/migration.ts'

/** The times at which users replaced their addresses. They are null for most users, so take no space. */
export const addressChanges = defineMigration(({ table }) => [
  `alter table ${table('users')} add column email_changed_at timestamptz, add column phone_changed_at timestamptz`,
])
