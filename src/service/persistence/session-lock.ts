import pg from 'pg'
import { connectTimeoutMs } from './patient-pool.ts'
import { lockNotAvailable } from './sql-states.ts'
import { trustSearchPath } from './trusted-search-path.ts'

/** `unref` is missing in the published types. */
type LockingClient = pg.Client & { unref(): void }

/**
 * Takes an advisory lock and keeps it until it is released or the process ends, on a connection of
 * its own, which does not keep the process alive.
 *
 * @returns the function that releases it; null where another process keeps it for longer than
 *   `patienceMs`.
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
  // A broken connection releases the lock, while its holder continues.
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
