import pg from 'pg'
import { connectTimeoutMs } from './patient-pool.ts'
import { trustSearchPath } from './trusted-search-path.ts'

/** `unref` is missing in what others say of its types. */
type LockingClient = pg.Client & { unref(): void }

/** PostgreSQL's code for a lock that did not come in time. */
const lockNotAvailable = '55P03'

/**
 * Takes an advisory lock and holds it until it is given back or the process ends, on a connection of its own, which keeps no
 * process from ending.
 *
 * @returns what gives it back; null where somebody else holds it for longer than `patienceMs`.
 */
export async function takeSessionLock(
  url: string,
  key: string,
  patienceMs: number,
): Promise<(() => Promise<void>) | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'latchkey lock',
    connectionTimeoutMillis: connectTimeoutMs,
  }) as LockingClient
  // Where the connection breaks, the lock is gone, and whoever holds it goes on.
  client.on('error', () => {})
  await client.connect()
  try {
    await trustSearchPath(client)
    await client.query(`set lock_timeout = ${patienceMs}`)
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key])
  } catch (error) {
    await client.end()
    if (Object(error).code === lockNotAvailable) return null
    throw error
  }
  client.unref()
  return () => client.end()
}
