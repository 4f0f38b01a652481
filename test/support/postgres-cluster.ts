import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import type { Pooled } from './pooled-environment.ts'
import { startPooler } from './pooler.ts'
import { databaseUrl, runSql } from './sql.ts'
import { startPostgres } from './start-postgres.ts'
import { migrateTemplate } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's maintenance database, as a user who may create databases. */
    databaseUrl: string
    /** The migrated database that tests clone, and the prefix of the names of the clones. */
    testDatabase: string
    /** The pooler in front of the server, if `TEST_POOLER` names one. */
    pooled: Pooled | null
  }
}

/**
 * Settings for hundreds of short-lived databases: little is logged for recovery, and no other
 * process reads or writes for a connection.
 */
const forClones = {
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  bgwriter_lru_maxpages: '0',
  io_method: 'sync',
  jit: 'off',
}

/**
 * Runs once before all tests. Starts a PostgreSQL and creates the database that
 * `createTestDatabase` clones. `TEST_DATABASE_URL` contains another server to use, as a user who
 * may create databases. All of it is deleted at the end.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL
  const server = given ? { url: given, stop: async () => {} } : await startPostgres(forClones)
  const name = `latchkey_test_${randomBytes(4).toString('hex')}`
  let pooler: Awaited<ReturnType<typeof startPooler>> = null
  const tearDown = async () => {
    await pooler?.stop()
    if (given) await dropDatabases(given, name)
    await server.stop()
  }
  try {
    pooler = await startPooler(server.url)
    await runSql(server.url, `create database "${name}" template template0`)
    await migrateTemplate(databaseUrl(server.url, name))
  } catch (error) {
    await tearDown()
    throw error
  }
  project.provide('databaseUrl', server.url)
  project.provide('testDatabase', name)
  project.provide('pooled', pooler?.pooled ?? null)
  return tearDown
}

async function dropDatabases(server: string, prefix: string): Promise<void> {
  const text = 'select datname from pg_database where starts_with(datname, $1)'
  for (const { datname } of await runSql(server, { text, values: [prefix] })) {
    await runSql(server, `drop database "${datname}" with (force)`)
  }
}
