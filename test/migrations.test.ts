import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { builtInCapabilities } from '../src/service/capabilities.ts'
import { migrate as migrateTo } from '../src/service/persistence/migrate.ts'
import { migrations } from '../src/service/persistence/migrations.ts'
import { openDatabase } from '../src/service/persistence/open-database.ts'
import { postgresDriver } from '../src/service/persistence/postgres.ts'
import { runCli } from './support/cli-process.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from './support/database.ts'
import { describeSchema } from './support/describe-schema.ts'
import { environmentFor } from './support/server-process.ts'
import { runSql } from './support/sql.ts'
import { withoutPackage } from './support/without-package.ts'

const stepNames = migrations.map(({ name }) => name)
const tables = [
  'audit_entries',
  'authorization_codes',
  'challenges',
  'factors',
  'identities',
  'decisions',
  'imported_factors',
  'imported_passkeys',
  'imported_sessions',
  'imported_tokens',
  'imported_users',
  'oauth_states',
  'one_time_tokens',
  'outbox_messages',
  'passkeys',
  'password_attempts',
  'provider_tokens',
  'rate_limit_buckets',
  'recovery_codes',
  'sessions',
  'signing_keys',
  'spent_id_tokens',
  'spent_wallet_messages',
  'users',
  'web_authn_challenges',
  ...builtInCapabilities.flatMap(({ terms }) => terms.tables),
]

let database: TestDatabase

const migrate = (env: Record<string, string> = {}, ...args: string[]) =>
  runCli(['migrate', ...args], environmentFor(database.url, env))

async function tablesIn(schema: string): Promise<string[]> {
  const text = `select tablename from pg_tables where schemaname = $1 order by 1`
  const rows = await runSql(database.url, { text, values: [schema] })
  return rows.map(({ tablename }) => String(tablename))
}

describe('migrating an empty database', () => {
  beforeAll(async () => {
    database = await createEmptyDatabase()
  })
  afterAll(() => database.drop())

  it('is planned and reported before, without a change', async () => {
    const status = await migrate({}, 'status')
    const plan = await migrate({}, 'plan')

    expect(status).toMatchObject({ code: 0 })
    expect(status.output).toBe(stepNames.map((name) => `pending ${name}\n`).join(''))
    expect((await migrate({}, 'status', '--exit-code')).code).toBe(3)
    expect(plan).toMatchObject({ code: 0 })
    for (const table of tables)
      expect(plan.output).toMatch(new RegExp(`create (unlogged )?table "auth"."${table}"`))
    expect(plan.output.trimEnd()).toMatch(/;$/)
    expect(await tablesIn('auth')).toEqual([])
  })

  it('by 20 concurrent processes succeeds in all, and is done by one', async () => {
    const endings = await Promise.all(Array.from({ length: 20 }, () => migrate()))

    const outputs = endings.map(({ output }) => output).sort()
    const applied = stepNames.map((name) => `applied ${name}\n`).join('')
    expect(outputs).toEqual([applied, ...Array.from({ length: 19 }, () => 'up to date\n')])
    expect(endings.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 0))
    expect(await tablesIn('auth')).toEqual([...tables, 'latchkey_migrations'].sort())
  }, 180_000)

  it('is reported afterwards, and leaves no plan', async () => {
    const status = await migrate({}, 'status')
    const plan = await migrate({}, 'plan')

    expect((await migrate({}, 'status', '--exit-code')).code).toBe(0)
    expect((await migrate({}, '--exit-code')).code).toBe(2)
    expect(status.output).toMatch(/^(applied \S+ {2}\d{4}-\d\d-\d\dT[\d:.]+Z\n)+$/)
    for (const name of stepNames) expect(status.output).toContain(`applied ${name} `)
    expect(plan).toMatchObject({ code: 0, output: '' })
  })
})

describe('the plan', { timeout: 180_000 }, () => {
  let folder: string

  beforeAll(async () => {
    database = await createEmptyDatabase()
    folder = await mkdtemp(join(tmpdir(), 'latchkey-plan-'))
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await database.drop()
  })

  const planBy = async (config: object | string, env: Record<string, string> = {}) => {
    const text = typeof config === 'string' ? config : JSON.stringify(config)
    await writeFile(join(folder, '.sql-formatter.json'), text)
    return runCli(['migrate', 'plan'], { ...environmentFor(database.url, env), cwd: folder })
  }
  const unformatted = /^ {6}id uuid not null primary key,\n {6}audience text not null,$/m
  const header = `-- ${stepNames[0]}\n`

  it('is formatted by the defaults, under the name of its step', async () => {
    const { output } = await migrate({}, 'plan')

    expect(output).toContain(`${header}create table "auth"."users" (\n  id uuid `)
    expect(output).not.toContain('not formatted')
  })

  it('is formatted as the configuration specifies, as PostgreSQL, and has the same effect', async () => {
    const { code, output } = await planBy({
      language: 'mysql',
      keywordCase: 'upper',
      dataTypeCase: 'upper',
      tabWidth: 4,
      denseOperators: true,
    })

    const note = '.sql-formatter.json: language: the plan is PostgreSQL, and formatted as such\n'
    const plan = output.replace(note, '')
    expect(code).toBe(0)
    expect(output).toContain(note)
    expect(plan).toContain(`${header}CREATE TABLE "auth"."users" (\n    id UUID `)
    expect(plan).not.toContain('not formatted')

    const migrated = await createTestDatabase()
    await runSql(database.url, plan)
    expect(await describeSchema(database.url, 'auth')).toEqual(
      await describeSchema(migrated.url, 'auth'),
    )
    await migrated.drop()
    await runSql(database.url, 'drop schema auth cascade')
  })

  it.each([
    ['{"language":"oracle"}', '.sql-formatter.json: language: must be one of "sql", '],
    ['{', '.sql-formatter.json: is not valid JSON'],
  ])(
    'is printed unformatted, with a warning, where the configuration is %s',
    async (config, expected) => {
      const { code, output } = await planBy(config)

      expect(code).toBe(0)
      expect(output).toContain('warning: the plan is not formatted\n')
      expect(output).toContain(expected)
      expect(output).toContain(header)
      expect(output).toMatch(unformatted)
    },
  )

  it('is printed unformatted, with a comment, where an expression matches an empty text in it', async () => {
    const { code, output } = await planBy({
      language: 'postgresql',
      paramTypes: { custom: [{ regex: '(?=created_at)' }] },
    })

    expect(code).toBe(0)
    expect(output).toContain(
      `${header}-- not formatted: paramTypes.custom[0].regex: can match an empty text`,
    )
    expect(output).toMatch(unformatted)
  })

  it('is printed unformatted, with a hint, where the formatter is not installed', async () => {
    const { code, output } = await planBy(
      { language: 'postgresql' },
      await withoutPackage('sql-formatter', folder),
    )

    expect(code).toBe(0)
    expect(output).toContain('npm install --save-dev sql-formatter@15')
    expect(output).toContain(header)
    expect(output).toMatch(unformatted)
  })

  it('is printed unformatted, without a hint, where no format is configured either', async () => {
    const { code, output } = await migrate(await withoutPackage('sql-formatter', folder), 'plan')

    expect(code).toBe(0)
    expect(output).toContain(header)
    expect(output).not.toMatch(/sql-formatter|not formatted/)
  })
})

const pages = { AUTH_SUBSCRIBE_PAGES_ENABLED: 'true' }
const hasPsql = spawnSync('psql', ['--version']).status === 0

/** Applies a script as the documentation describes. Without psql, the server parses the whole. */
async function applyScript(url: string, script: string): Promise<string> {
  if (hasPsql) {
    const { status, stdout, stderr } = spawnSync(
      'psql',
      ['-X', '-v', 'ON_ERROR_STOP=1', '-1', '-q', url],
      { input: script, encoding: 'utf8' },
    )
    return `${status} ${stdout}${stderr}`
  }
  await runSql(url, script)
  return '0 '
}

describe('N02: the plan, applied by psql', { timeout: 180_000 }, () => {
  let planned: TestDatabase
  let migrated: TestDatabase

  beforeEach(async () => {
    planned = await createEmptyDatabase()
    migrated = await createEmptyDatabase()
    // The privileges that a hosted database grants on new tables.
    for (const { url } of [planned, migrated]) {
      await runSql(
        url,
        `alter default privileges grant all on tables to public, pg_monitor;
         alter default privileges grant all on sequences to pg_monitor`,
      )
    }
  })
  afterEach(async () => {
    await planned.drop()
    await migrated.drop()
  })

  const run = async ({ url }: TestDatabase, env: Record<string, string>, ...args: string[]) => {
    const { code, output } = await runCli(['migrate', ...args], environmentFor(url, env))
    expect(code, output).toBe(0)
    return output
  }
  const stateOf = async ({ url }: TestDatabase, schema: string, namespace: string) => ({
    schema: await describeSchema(url, schema),
    steps: await runSql(url, `select id, name from ${schema}.${namespace}latchkey_migrations`),
    owners: await runSql(
      url,
      `select distinct tableowner from pg_tables where schemaname = '${schema}'`,
    ),
  })

  it.each([
    ['an empty database', [], {}],
    ['an empty database, with the pages', [], pages],
    ['a schema and a prefix', [], { AUTH_DB_SCHEMA: 'accounts', AUTH_DB_NAMESPACE: 'app_' }],
    ['the steps of the service, to those of the pages', [{}], pages],
  ])('leaves the state of migrate: %s', async (_, before, env: Record<string, string>) => {
    for (const earlier of before) {
      await run(planned, earlier)
      await run(migrated, earlier)
      for (const { url } of [planned, migrated]) {
        await runSql(url, 'grant select on auth.users to pg_monitor')
      }
    }
    const script = await run(planned, env, 'plan')
    const applied = await applyScript(planned.url, script)
    await run(migrated, env)

    const place = [env['AUTH_DB_SCHEMA'] ?? 'auth', env['AUTH_DB_NAMESPACE'] ?? ''] as const
    expect(applied).toBe('0 ')
    expect(await stateOf(planned, ...place)).toEqual(await stateOf(migrated, ...place))
    expect(await run(planned, env, 'status')).not.toContain('pending')
    expect(await run(planned, env, 'plan')).toBe('')
    expect(await run(planned, env)).toBe('up to date\n')
  })

  const earlier = migrations.slice(1).map(({ name }, at) => [name, at + 1] as const)

  it.each(earlier)('leaves the state of migrate: the state before %s', async (_, count) => {
    const place = { schema: 'auth', namespace: '' }
    for (const { url } of [planned, migrated]) {
      const driver = postgresDriver({ url, maxPoolSize: 1, preparedStatements: true })
      const open = await openDatabase(driver, place)
      await migrateTo(open, place, migrations.slice(0, count)).finally(open.close)
    }
    const applied = await applyScript(planned.url, await run(planned, {}, 'plan'))
    await run(migrated, {})

    expect(applied).toBe('0 ')
    expect(await stateOf(planned, 'auth', '')).toEqual(await stateOf(migrated, 'auth', ''))
    expect(await run(planned, {}, 'status')).not.toContain('pending')
  })

  it.each([{}, pages])('changes nothing a second time: %j', async (env) => {
    if (env === pages) await run(planned, {})
    const script = await run(planned, env, 'plan')
    await applyScript(planned.url, script)
    const state = await stateOf(planned, 'auth', '')

    const again = await applyScript(planned.url, script).catch(String)

    expect(again).toMatch(/already exists|a step of this plan has been applied/)
    expect(await stateOf(planned, 'auth', '')).toEqual(state)
  })
})

describe('DB_SCHEMA and DB_NAMESPACE', () => {
  beforeAll(async () => {
    database = await createEmptyDatabase()
  })
  afterAll(() => database.drop())

  const shared = { AUTH_DB_SCHEMA: 'accounts' }
  const prefixed = (prefix: string) =>
    [...tables, 'latchkey_migrations'].map((table) => `${prefix}${table}`)

  it('put the tables into a schema, behind a prefix, and several services beside each other', async () => {
    const namespaces = ['one_', 'two_']
    for (const namespace of namespaces) {
      expect(await migrate({ ...shared, AUTH_DB_NAMESPACE: namespace })).toMatchObject({ code: 0 })
    }
    const third = await migrate({ ...shared, AUTH_DB_NAMESPACE: 'three_' }, 'status')

    expect(await tablesIn('accounts')).toEqual([...prefixed('one_'), ...prefixed('two_')].sort())
    expect(await tablesIn('auth')).toEqual([])
    expect(third.output).toMatch(/^pending /)
  })
})

it('a schema with foreign tables is rejected, with its content and the remedy', async () => {
  database = await createEmptyDatabase()
  await runSql(database.url, 'create schema auth')
  await runSql(database.url, 'create table auth.users (id int)')

  const { code, output } = await migrate()
  const plan = await migrate({}, 'plan')

  expect(code).toBe(1)
  expect(plan).toMatchObject({ code, output })
  expect(output).toContain(`The schema "auth" contains objects that are not Latchkey's (users)`)
  expect(output).toContain('latchkey import gotrue')
  expect(output).not.toMatch(/^\s+at /m)
  await database.drop()
})
