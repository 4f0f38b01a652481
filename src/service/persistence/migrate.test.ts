import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import { defineMigration } from '../../platform/sql/migration.ts'
import { migrate, plannedSteps } from './migrate.ts'
import { migrationStatus } from './migration-status.ts'
import { migrations } from './migrations.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'

it('sees the steps of another process after waiting for its lock', async () => {
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

it('permits services with different prefixes to start concurrently on an empty database', async () => {
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

it('S47: creates tables that default privileges grant to no other role', async () => {
  const database = await createEmptyDatabase()
  const place = { schema: 'auth', namespace: '' }
  const driver = postgresDriver({ url: database.url, maxPoolSize: 1, preparedStatements: true })
  const open = await openDatabase(driver, place)
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  await owner.query(
    'alter default privileges grant all on tables to public, pg_monitor; alter default privileges grant all on sequences to pg_monitor',
  )
  const granted = async (): Promise<string[]> => {
    const { rows } = await owner.query(
      `select distinct relname as name, (aclexplode(relacl)).grantee as grantee, relowner from pg_class
       where relnamespace = 'auth'::regnamespace and relkind in ('r', 'S')`,
    )
    return rows.filter(({ grantee, relowner }) => grantee !== relowner).map(({ name }) => name)
  }

  await migrate(open, place)
  const atFirst = await granted()
  await owner.query('grant select on auth.users to pg_monitor')
  await migrate(open, place, later)
  const afterwards = await granted()

  expect([atFirst, afterwards]).toEqual([[], ['users']])
  await Promise.all([open.close(), owner.end()])
  await database.drop()
})

// Possible changes of a future release: a column for which old instances have no value, and a table
// that they do not use.
const nicknames: MigrationStep = {
  name: '29990101-nicknames',
  statements: defineMigration(({ table }) => [
    `alter table ${table('users')} add column nickname text not null default 'nobody'`,
    `update ${table('users')} set nickname = email`,
  ]),
}
const badges: MigrationStep = {
  name: '29990102-badges',
  statements: defineMigration(({ table }) => [
    `create table ${table('badges')} (user_id uuid references ${table('users')} (id) on delete cascade)`,
  ]),
}
const broken: MigrationStep = {
  name: '29990103-broken',
  statements: defineMigration(({ table }) => [`alter table ${table('badges')} add column no_type`]),
}
const later = [...migrations, nicknames, badges]

describe('the steps of a later release', () => {
  const place = { schema: 'auth', namespace: 'app_' }
  let database: TestDatabase
  let open: OpenDatabase

  const openIt = () =>
    openDatabase(
      postgresDriver({ url: database.url, maxPoolSize: 2, preparedStatements: true }),
      place,
    )
  const columnsOf = async (table: string) => {
    const rows = await runText<{ name: string }>(
      open.sql,
      'select column_name as name from information_schema.columns where table_name = $1',
      [table],
    )
    return rows.map(({ name }) => name)
  }

  beforeEach(async () => {
    database = await createEmptyDatabase()
    open = await openIt()
    await migrate(open, place)
  })
  afterEach(async () => {
    await open?.close()
    await database?.drop()
  })

  it('are planned and reported, in their order, without a change', async () => {
    const { applied, pending } = await migrationStatus(open.sql, place, later)
    const planned = await plannedSteps(open, place, later)

    expect(applied.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
    expect(pending).toEqual([nicknames.name, badges.name])
    expect(planned).toEqual([
      {
        name: nicknames.name,
        statements: [
          `alter table "auth"."app_users" add column nickname text not null default 'nobody'`,
          'update "auth"."app_users" set nickname = email',
        ],
      },
      {
        name: badges.name,
        statements: [
          'create table "auth"."app_badges" (user_id uuid references "auth"."app_users" (id) on delete cascade)',
        ],
      },
    ])
    expect(await columnsOf('app_users')).not.toContain('nickname')
  })

  it('are only the later ones, taken once', async () => {
    const taken = await migrate(open, place, later)
    const again = await migrate(open, place, later)
    const { applied, pending } = await migrationStatus(open.sql, place, later)

    expect(taken).toEqual([nicknames.name, badges.name])
    expect(again).toEqual([])
    expect(applied.map(({ name }) => name)).toEqual(later.map(({ name }) => name))
    expect(pending).toEqual([])
    expect(await columnsOf('app_badges')).toEqual(['user_id'])
  })

  it('are taken by one of several that start concurrently', async () => {
    const others = await Promise.all([openIt(), openIt(), openIt()])

    const taken = await Promise.all([open, ...others].map((one) => migrate(one, place, later)))

    expect(taken.flat()).toEqual([nicknames.name, badges.name])
    await Promise.all(others.map((one) => one.close()))
  })

  it('are all rolled back where one of them fails', async () => {
    await expect(migrate(open, place, [...later, broken])).rejects.toThrow()

    expect((await migrationStatus(open.sql, place, later)).pending).toHaveLength(2)
    expect(await columnsOf('app_users')).not.toContain('nickname')
    expect(await migrate(open, place, later)).toHaveLength(2)
  })
})

it('an instance of the previous release works with the steps of a later one', async () => {
  const auth = await startTestAuth()
  const { user, refreshToken } = await auth.given.session('before@example.test')
  const { database } = await auth.deps()
  const open = await openDatabase(
    postgresDriver({ url: auth.databaseUrl, maxPoolSize: 1, preparedStatements: true }),
    { schema: 'auth', namespace: '' },
  )

  await migrate(open, { schema: 'auth', namespace: '' }, later)
  await open.close()
  const after = await auth.given.session('after@example.test')
  await auth.auth.admin.updateUser(user.id, { email: 'changed@example.test' })
  const refreshed = await auth.auth.api.refreshSession({ refreshToken })
  const restarted = await auth.beside()
  const status = await migrationStatus(database.sql, { schema: 'auth', namespace: '' })

  expect(refreshed.user.email).toBe('changed@example.test')
  expect((await restarted.auth.admin.getUser(after.user.id)).email).toBe('after@example.test')
  expect(status.pending).toEqual([])
  expect(await auth.rows('select email, nickname from auth.users order by email')).toEqual([
    { email: 'after@example.test', nickname: 'nobody' },
    // The old instance does not write columns that it does not use.
    { email: 'changed@example.test', nickname: 'before@example.test' },
  ])
  await restarted.close()
  await auth.close()
})
