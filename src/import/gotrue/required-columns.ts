/** The columns that all releases of GoTrue have, and that are read. Only `users` is required. */
const requiredColumns: Readonly<Record<string, readonly string[]>> = {
  users: ['id', 'email', 'encrypted_password'],
  identities: ['id', 'user_id', 'provider', 'identity_data', 'created_at'],
  mfa_factors: ['id', 'user_id', 'factor_type', 'status', 'secret', 'created_at'],
  webauthn_credentials: ['id', 'user_id', 'created_at'],
  sessions: ['id', 'user_id', 'created_at'],
  refresh_tokens: ['id', 'token', 'parent', 'revoked', 'updated_at'],
  mfa_amr_claims: ['session_id', 'authentication_method'],
}

/** A table that only Latchkey has. */
const ownTable = 'imported_users'

/**
 * Returns the reason why a schema is not that of GoTrue; null if it is.
 *
 * @param tables the names of the columns, by table.
 */
export function describeForeignLayout(
  schema: string,
  tables: ReadonlyMap<string, ReadonlySet<string>>,
): string | null {
  if (tables.has(ownTable)) {
    return `The schema "${schema}" of the source is Latchkey's own: set the URL of GoTrue's database, or its schema by --schema`
  }
  if (!tables.has('users')) {
    return `The schema "${schema}" of the source contains no GoTrue users; --schema names another one`
  }
  for (const [table, columns] of Object.entries(requiredColumns)) {
    const present = tables.get(table)
    const missing = present && columns.find((column) => !present.has(column))
    if (missing) {
      return (
        `The table "${table}" in the schema "${schema}" of the source has no column "${missing}", ` +
        'which every release of GoTrue has; --schema names another schema'
      )
    }
  }
  return null
}
