import pg from 'pg'

/** A statement in the form of `pg`: text, or text with its values. */
type Statement = string | { text: string; values: unknown[] }

/**
 * Runs one statement on its own connection, and closes the connection.
 *
 * @returns its rows.
 * @throws Error of `pg`, with PostgreSQL's SQLSTATE in `code`.
 */
export async function runSql(
  url: string,
  statement: Statement,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // An error of the idle connection must not end the process; the statement reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return rows
  } finally {
    await client.end()
  }
}

/** Returns the URL of another database on the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
