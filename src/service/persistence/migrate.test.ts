import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runText } from '../../../test/support/statements.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { type Logger, silentLogger } from '../../platform/observability/logger.ts'
import type { MigrationStep } from '../../platform/sql/migration.ts'
import { defineMigration } from '../../platform/sql/migration.ts'
import { migrate, plannedSteps } from './migrate.ts'
import { migrationStatus } from './migration-status.ts'
import { migrations } from './migrations.ts'
import { type OpenDatabase, openDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'

/** Records the messages of a logger. */
function recordingLogger() {
  const fields: object[] = []
  const messages: string[] = []
  let wake = () => {}
  const write = (given: object, message: string): void => {
    fields.push(given)
    messages.push(message)
    wake()
  }
  const logger: Logger = { debug: write, info: write, warn: write, error: write, fatal: write }
  const first = async (pattern: RegExp): Promise<void> => {
    while (!messages.some((message) => pattern.test(message))) {
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  return { fields, logger, first }
}

it('sees the steps of another process after waiting for its lock, at any isolation of the role', async () => {
  const database = await createEmptyDatabase()
  const place = { schema: 'auth', namespace: '' }
  const role = encodeURIComponent('-c default_transaction_isolation=serializable')
  const url = `${database.url}?options=${role}`
  const driver = postgresDriver({ url, maxPoolSize: 1, preparedStatements: true })
  const open = await openDatabase(driver, place)
  const other = new pg.Client({ connectionString: database.url })
  await other.connect()
  await other.query('begin')
  await other.query(`select pg_advisory_xact_lock(hashtextextended('latchkey:migrations:auth', 0))`)

  const logged = recordingLogger()
  const migrating = migrate(open, place, migrations, { logger: logged.logger })
  await logged.first(/another instance migrates/)
  await other.query('create schema auth')
  await other.query(`create table auth.latchkey_migrations (
    id serial primary key, name varchar(255) not null, executed_at timestamptz not null default now())`)
  await other.query('commit')

  expect(await migrating).toEqual(migrations.map(({ name }) => name))
  await Promise.all([open.close(), other.end()])
  await database.drop()
})

describe('a transaction that reads the users, such as a backup', () => {
  const place = { schema: 'auth', namespace: '' }
  const briefly = { tableMs: 50, pauseMs: 10, totalMs: 0 }
  let database: TestDatabase
  let open: OpenDatabase
  let reader: pg.Client

  beforeEach(async () => {
    database = await createEmptyDatabase()
    const driver = postgresDriver({ url: database.url, maxPoolSize: 2, preparedStatements: true })
    open = await openDatabase(driver, place)
    await migrate(open, place)
    reader = new pg.Client({ connectionString: database.url, application_name: 'a backup' })
    await reader.connect()
    await reader.query('begin')
    await reader.query('select count(*) from auth.users')
  })
  afterEach(async () => {
    await Promise.all([open?.close(), reader?.end()])
    await database?.drop()
  })

  it('does not block the statements of running instances by a waiting step', async () => {
    const logged = recordingLogger()
    const patience = { ...briefly, totalMs: 600_000 }
    const migrating = migrate(open, place, later, { logger: logged.logger, patience })
    await logged.first(/blocks the migration/)

    const counting = () => runText(open.sql, 'select count(*)::int as count from auth.users')
    for (let turn = 0; turn < 20; turn += 1) expect(await counting()).toEqual([{ count: 0 }])
    await reader.query('commit')

    expect(await migrating).toEqual([nicknames.name, badges.name])
    expect(logged.fields).toMatchObject([{ blocker: { application: 'a backup' } }])
  })

  it('is waited for beyond the time limits of the role, which are for requests', async () => {
    const limits = ['idle_in_transaction_session_timeout=500', 'statement_timeout=20000']
    const role = [...limits, 'transaction_timeout=1200'].join(' -c ')
    await using limited = await openWith(role)
    const logged = recordingLogger()
    const patience = { tableMs: 50, pauseMs: 1_500, totalMs: 600_000 }
    const steps = [...later, unlimited]
    const migrating = migrate(limited.open, place, steps, { logger: logged.logger, patience })
    await logged.first(/blocks the migration/)
    await reader.query('commit')

    expect(await migrating).toEqual([nicknames.name, badges.name, unlimited.name])
  })

  it('is waited for after a deadlock with it', async () => {
    // The one that checks first is ended. Each checks once.
    await reader.query(`set local deadlock_timeout = '1h'`)
    await using impatient = await openWith('deadlock_timeout=2000')
    const logged = recordingLogger()
    const patience = { tableMs: 5_000, pauseMs: 10, totalMs: 600_000 }
    const steps = [...migrations, colors, nicknames]
    const migrating = migrate(impatient.open, place, steps, { logger: logged.logger, patience })
    await expect
      .poll(() => runText(open.sql, 'select from pg_locks where not granted'))
      .toHaveLength(1)
    await reader.query('select count(*) from auth.sessions')
    await logged.first(/blocks the migration/)
    await reader.query('commit')

    expect(await migrating).toEqual([colors.name, nicknames.name])
  })

  /** Opens the database with other defaults of its connections. */
  async function openWith(defaults: string) {
    const url = `${database.url}?options=${encodeURIComponent(`-c ${defaults}`)}`
    const driver = postgresDriver({ url, maxPoolSize: 2, preparedStatements: true })
    const opened = await openDatabase(driver, place)
    return { open: opened, [Symbol.asyncDispose]: () => opened.close() }
  }

  it('is waited for by one of several instances, which keeps the lock of migrations meanwhile', async () => {
    const driver = postgresDriver({ url: database.url, maxPoolSize: 2, preparedStatements: true })
    const others = await Promise.all([openDatabase(driver, place), openDatabase(driver, place)])
    const logs = [open, ...others].map(() => recordingLogger())
    const patience = { ...briefly, totalMs: 600_000 }
    const migrating = [open, ...others].map((one, at) =>
      migrate(one, place, later, { logger: logs[at]?.logger ?? silentLogger, patience }),
    )
    await Promise.all(logs.map(({ first }) => first(/blocks the migration|another instance/)))
    await reader.query('commit')

    const taken = await Promise.all(migrating)
    expect(taken.flat()).toEqual([nicknames.name, badges.name])
    const blocked = logs.filter(({ fields }) => fields.some((one) => 'blocker' in one))
    expect(blocked).toHaveLength(1)
    await Promise.all(others.map((one) => one.close()))
  })

  it('is named where a step was blocked for the whole time, and the step does not wait further', async () => {
    const innocent = new pg.Client({ connectionString: database.url, application_name: 'a report' })
    await innocent.connect()
    await reader.query('rollback')
    await innocent.query('begin')
    await innocent.query('select count(*) from auth.sessions')
    await reader.query('begin')
    await reader.query('select count(*) from auth.users')

    await expect(migrate(open, place, later, { patience: briefly })).rejects.toMatchObject({
      code: 'service_unavailable',
      message: 'The database is not migrated yet',
      cause: expect.objectContaining({
        message: expect.stringMatching(/blocked by the transaction of process \d+ \(a backup\)/),
      }),
    })

    const waiting = await runText(open.sql, 'select from pg_locks where not granted')
    expect(waiting).toEqual([])
    await innocent.end()
  })
})

it('S132: an address that was replaced in the day before the upgrade is no established one', async () => {
  const database = await createEmptyDatabase()
  const place = { schema: 'auth', namespace: '' }
  const driver = postgresDriver({ url: database.url, maxPoolSize: 2, preparedStatements: true })
  const open = await openDatabase(driver, place)
  const before = migrations.filter(({ name }) => name < '20261130')
  await migrate(open, place, before)
  // Columns: the ages of account, email and phone.
  await runText(
    open.sql,
    `with given (name, age, email_age, phone_age) as (values ('both', '9 days', '1 hour', '2 hours'),
        ('former', '9 days', '2 days', '3 days'), ('recent sign-up', '1 hour', '1 minute', '1 minute')
      ), people as (
        insert into auth.users (id, audience, role, email, app_metadata, user_metadata, is_anonymous,
          is_sso_user, created_at, updated_at)
        select gen_random_uuid(), '', '', name, '{}', '{}', false, false, now() - age::interval, now()
        from given returning id, email
      )
      insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
      select gen_random_uuid(), p.id, i.provider, p.id::text || i.provider, '{}', now(), now() - i.age::interval
      from people p join given g on g.name = p.email
      cross join lateral (values ('email', g.email_age), ('phone', g.phone_age)) i (provider, age)`,
  )

  await migrate(open, place)

  const ageOf = (column: string) => `extract(epoch from now() - ${column})::int / 3600 as ${column}`
  const rows = await runText(
    open.sql,
    `select email, ${ageOf('email_changed_at')}, ${ageOf('phone_changed_at')} from auth.users order by email`,
  )
  expect(rows).toEqual([
    { email: 'both', email_changed_at: 1, phone_changed_at: 2 },
    { email: 'former', email_changed_at: null, phone_changed_at: null },
    { email: 'recent sign-up', email_changed_at: null, phone_changed_at: null },
  ])
  await open.close()
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
const colors: MigrationStep = {
  name: '28990101-colors',
  statements: defineMigration(({ table }) => [
    `alter table ${table('sessions')} add column color text`,
  ]),
}
const unlimited: MigrationStep = {
  name: '29990104-unlimited',
  statements: defineMigration(() => [
    `do $$ begin
      assert current_setting('statement_timeout') = '0';
      assert current_setting('transaction_timeout') = '0';
    end $$`,
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
