import { defineMigration } from '../src/persistence/migration.ts'

/** What is found of the audit log by whom it is about: for operators who search, and for erasure. */
export const auditLookUps = defineMigration(({ table, prefixed }) =>
  ['actor_id', 'user_id'].map(
    (column) => `create index ${prefixed(`audit_entries_${column}_index`)}
      on ${table('audit_entries')} (${column}) where ${column} is not null`,
  ),
)
