import pg from 'pg'
import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../test/support/database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { openDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'

it('sees what another process made while it waited for its turn', async () => {
  const database = await createEmptyDatabase()
  const place = { schema: 'auth', namespace: '' }
  const driver = postgresDriver({ url: database.url, maxPoolSize: 1, preparedStatements: true })
  const open = await openDatabase(driver, place)
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin')
  await other.query(`select pg_advisory_xact_lock(hashtextextended('latchkey:migrations:auth', 0))`)

  const migrating = migrate(open, place)
  const waiting = 'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))'
  while ((await other.query(waiting)).rowCount === 0);
  await other.query('create schema auth')
  await other.query(`create table auth.latchkey_migrations (
    id serial primary key, name varchar(255) not null, executed_at timestamptz not null default now())`)
  await other.query('commit')

  expect(await migrating).toEqual(migrations.map(({ name }) => name))
  await Promise.all([open.close(), other.end()])
  await database.drop()
})

it('lets services with different prefixes start at once on an empty database', async () => {
  const database = await createEmptyDatabase()
  const start = async (namespace: string) => {
    const place = { schema: 'auth', namespace }
    const driver = postgresDriver({ url: database.url, maxPoolSize: 1, preparedStatements: true })
    const open = await openDatabase(driver, place)
    const taken = await migrate(open, place).finally(open.close)
    return taken.length
  }

  const taken = await Promise.all(['a_', 'b_', 'c_', 'd_', 'e_', ''].map(start))

  expect(taken).toEqual(taken.map(() => migrations.length))
  await database.drop()
})
