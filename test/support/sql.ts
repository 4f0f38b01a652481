import pg from 'pg'

/** A statement as `pg` takes it: text alone, or text with its values. */
type Statement = string | { text: string; values: unknown[] }

/**
 * Runs one statement on a connection of its own, and closes that.
 *
 * @returns its rows.
 * @throws Error as `pg` throws it, with PostgreSQL's SQLSTATE in `code`.
 */
export async function runSql(
  url: string,
  statement: Statement,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A connection that breaks while idle must not end the process; the statement reports it.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<Record<string, unknown>>(statement)
    return rows
  } finally {
    await client.end()
  }
}

/** The URL of another database on the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
