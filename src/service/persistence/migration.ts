/** The table of applied steps, without prefix. It also marks a schema as ours. */
export const migrationsTable = 'latchkey_migrations'
