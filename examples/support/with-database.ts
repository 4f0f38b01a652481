import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'

/** A connection of the application's own. */
export interface Connection {
  /** Runs any number of statements that take no values. */
  exec(text: string): Promise<unknown>
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
}

/**
 * Connects to the server with this URL or, without one, to the embedded database of development.
 */
export async function withDatabase(
  url: string | undefined,
  work: (connection: Connection) => Promise<void>,
): Promise<void> {
  if (url === undefined) {
    const embedded = await PGlite.create('.latchkey/data')
    const query = async (text: string, values?: unknown[]) =>
      (await embedded.query<Record<string, unknown>>(text, values)).rows
    return work({ exec: (text) => embedded.exec(text), query }).finally(() => embedded.close())
  }
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const query = async (text: string, values: unknown[] = []) =>
    (await client.query<Record<string, unknown>>(text, values)).rows
  return work({ exec: (text) => client.query(text), query }).finally(() => client.end())
}
