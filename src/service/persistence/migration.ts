/** The table that remembers the steps taken, without prefix. It also marks a schema as ours. */
export const migrationsTable = 'latchkey_migrations'
