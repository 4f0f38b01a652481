import pg from 'pg'
import { type SourceConnection, SourceError } from '../../import/gotrue/source.sql.ts'
import { isError } from '../../platform/kit/is-error.ts'
import { describeConnectError } from './describe-connect-error.ts'
import { describeUnreadableFile } from './unreadable-url-file.ts'

const connectTimeoutMs = 10_000

/**
 * Statements that open the read: nothing is written, all statements see one state, times are in
 * UTC, and names are not resolved by a search path. Where policies would hide rows, PostgreSQL
 * reports an error instead, because hidden users would be missing in the import. Timeouts of the
 * server are disabled.
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
 * Opens a database of another service, for reading.
 *
 * @throws SourceError when its URL is invalid, or it cannot be reached or rejects the login.
 */
export async function openSource(url: string): Promise<SourceConnection> {
  const client = createClient(url)
  // The next statement reports a connection that breaks between two statements.
  client.on('error', () => {})
  const query = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    try {
      const { rows } = await client.query({ text, values: [...values] })
      return rows
    } catch (error) {
      throw sourceError(error)
    }
  }
  // Nothing was written, so a failure to close loses nothing.
  const close = () => client.end().catch(() => {})
  try {
    await client.connect().catch((error: unknown) => {
      throw isUnreached(error) ? unreadable(describeConnectError(error, url).message) : error
    })
    for (const statement of opening) await query(statement)
  } catch (error) {
    await close()
    throw sourceError(error)
  }
  return { query, close }
}

/** Creates the client. The driver's error for an invalid URL quotes it. */
function createClient(url: string): pg.Client {
  try {
    return new pg.Client({
      connectionString: url,
      application_name: 'latchkey import',
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
    })
  } catch (error) {
    const invalid = 'The URL of the source is invalid: write a "%" in its password as "%25"'
    throw new SourceError(describeUnreadableFile(error) ?? invalid)
  }
}

/**
 * Messages of PostgreSQL contain names of tables and roles; the driver's messages may contain parts
 * of the URL.
 */
function sourceError(error: unknown): SourceError {
  if (error instanceof SourceError) return error
  const isServers = error instanceof pg.DatabaseError
  const code = isError(error) && 'code' in error ? String(error.code) : null
  const words = isServers ? error.message : (code ?? 'no connection')
  return unreadable(words)
}

const unreadable = (words: string) => new SourceError(`The source cannot be read: ${words}`)

/** Whether no server responded. The text for these errors contains no message of the driver. */
const isUnreached = (error: unknown): boolean =>
  isError(error) &&
  (('code' in error && unreached.has(String(error.code))) || /timeout expired/.test(error.message))

const unreached = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT'])
