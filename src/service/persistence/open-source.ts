import pg from 'pg'
import { type SourceConnection, SourceError } from '../../import/gotrue/source-connection.ts'
import { isError } from '../../platform/kit/is-error.ts'

const connectTimeoutMs = 10_000

/**
 * What is true of the whole of it: nothing is written, all statements see one state, times are in UTC,
 * and names mean what they say. Where policies would hide rows, PostgreSQL refuses: whom we do not see
 * would be gone for us. It may take its time, whatever the server's limits for others are.
 */
const opening = [
  'begin transaction isolation level repeatable read read only',
  `set local time zone 'UTC'`,
  `set local search_path = ''`,
  'set local row_security = off',
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
]

/**
 * Opens a database that belongs to another service, to read from it.
 *
 * @throws SourceError when its URL cannot be read, or it cannot be reached or does not let us in.
 */
export async function openSource(url: string): Promise<SourceConnection> {
  const client = createClient(url)
  // A connection that breaks between two statements is reported by the next.
  client.on('error', () => {})
  const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    try {
      const { rows } = await client.query({ text, values: [...values] })
      return rows
    } catch (error) {
      throw sourceError(error)
    }
  }
  // Nothing was written, so a connection that does not end well loses nothing.
  const close = () => client.end().catch(() => {})
  try {
    await client.connect()
    for (const statement of opening) await query(statement)
  } catch (error) {
    await close()
    throw sourceError(error)
  }
  return { query, close }
}

/** The driver takes the URL apart, and quotes it where that fails. */
function createClient(url: string): pg.Client {
  try {
    return new pg.Client({
      connectionString: url,
      application_name: 'latchkey import',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
  } catch {
    throw new SourceError(
      'The URL of the source cannot be read: a "%" in its password is written as "%25"',
    )
  }
}

/** PostgreSQL's own words name tables and roles; the driver's may hold what stands in the URL. */
function sourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error
  const isServers = error instanceof pg.DatabaseError
  const code = isError(error) && 'code' in error ? String(error.code) : null
  const words = isServers ? error.message : (code ?? 'there is no connection')
  return new SourceError(`The source cannot be read: ${words}`)
}
