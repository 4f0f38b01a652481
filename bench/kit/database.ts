import { totalmem } from 'node:os'
import { databaseUrl, runSql } from '../../test/support/sql.ts'
import { type PostgresServer, startPostgres } from '../../test/support/start-postgres.ts'

/**
 * Starts the PostgreSQL of npm. Commits wait for the disk and pages are written whole, as in
 * production. Tables are vacuumed explicitly, and not during a measurement.
 */
export const startDatabase = (): Promise<PostgresServer> => startPostgres(settings)

const settings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'off',
  // A quarter of the memory, as PostgreSQL's manual advises.
  shared_buffers: `${Math.round(totalmem() / 4 / 2 ** 20)}MB`,
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
}

/** The settings as RESULTS.md lists them. */
export const describeSettings = Object.entries(settings)
  .map(([name, value]) => `${name}=${value}`)
  .join(', ')

/** Creates an empty database and returns its URL. */
export async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await runSql(server.url, `create database "${name}" template template0`)
  return databaseUrl(server.url, name)
}

/** Returns the bytes of write-ahead log that `act` writes. */
export async function walBytes(url: string, act: () => Promise<unknown>): Promise<number> {
  const [before] = await runSql(url, 'select pg_current_wal_insert_lsn() as lsn')
  await act()
  const [row] = await runSql(url, {
    text: 'select (pg_current_wal_insert_lsn() - $1)::float8 as bytes',
    values: [before?.['lsn']],
  })
  return Number(row?.['bytes'])
}
