import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subscribePages } from '../src/capabilities/subscribe-pages/capability.ts'
import { type Auth, createAuth } from '../src/index.ts'
import { columns } from '../src/service/persistence/columns.ts'
import { embeddedPostgresDriver } from '../src/service/persistence/embedded-postgres.ts'
import { migrate } from '../src/service/persistence/migrate.ts'
import { migrations } from '../src/service/persistence/migrations.ts'
import { type OpenDatabase, openDatabase } from '../src/service/persistence/open-database.ts'
import { postgresDriver } from '../src/service/persistence/postgres.ts'
import type { Namespace } from '../src/service/persistence/table-names.ts'
import { createEmptyDatabase, type TestDatabase } from './support/database.ts'
import { hasEmbeddedDatabase } from './support/embedded.ts'
import { runSql } from './support/sql.ts'
import { runText } from './support/statements.ts'
import { testSecret } from './support/test-auth.ts'

const namespace: Namespace = { schema: 'auth', namespace: '' }
const helpers = ['email', 'jwt', 'role', 'uid']
const stepNames = migrations.map(({ name }) => name)
const isInstalled = await hasEmbeddedDatabase('test/schema.test.ts, in part,')

let database: TestDatabase
let server: OpenDatabase

const open = ({ url }: TestDatabase, place: Namespace): Promise<OpenDatabase> =>
  openDatabase(postgresDriver({ url, maxPoolSize: 2, preparedStatements: true }), place)

/**
 * Returns the changes that would make the schema equal to the entities. Entities do not contain
 * functions, so the ORM would drop them.
 */
const drift = ({ withOrm }: OpenDatabase): Promise<string> =>
  withOrm(({ config, schema }) => {
    config.set('schemaGenerator', { ...config.get('schemaGenerator'), ignoreRoutines: true })
    return schema.getUpdateSchemaSQL({ wrap: false })
  })

/**
 * Returns columns, constraints, indexes and functions of a schema, as PostgreSQL describes them.
 */
const describeSchema = async ({ sql }: OpenDatabase, schema: string): Promise<unknown[]> =>
  runText(
    sql,
    `
      select table_name || '.' || column_name as name, udt_name || ' ' || is_nullable as content
        from information_schema.columns where table_schema = $1
      union all select conname, pg_get_constraintdef(oid)
        from pg_constraint where connamespace = $1::regnamespace
      union all select indexname, indexdef from pg_indexes where schemaname = $1
      union all select proname, prosrc from pg_proc where pronamespace = $1::regnamespace
      order by 1, 2`,
    [schema],
  )

beforeAll(async () => {
  database = await createEmptyDatabase()
  server = await open(database, namespace)
  await migrate(server, namespace)
})

afterAll(async () => {
  await server?.close()
  await database?.drop()
})

describe('the schema', () => {
  it('equals the entities after migration', async () => {
    expect(await drift(server)).toBe('')
  })

  it('has the columns that statements use, and no others', async () => {
    const entities = await server.withOrm(async (orm) => [...orm.getMetadata().getAll().values()])
    const stored = entities.map(({ tableName, props }) => [
      tableName,
      props.flatMap(({ fieldNames }) => fieldNames ?? []).sort(),
    ])
    const named = Object.entries(columns).map(([table, list]) => [table, list.toSorted()])

    expect(Object.fromEntries(named)).toEqual(Object.fromEntries(stored))
  })

  it('does so with a prefix, too', async () => {
    const place = { schema: 'accounts', namespace: 'app_' }
    const other = await createEmptyDatabase()
    const prefixed = await open(other, place)
    await migrate(prefixed, place)

    expect(await drift(prefixed)).toBe('')

    await prefixed.close()
    await other.drop()
  })

  it('is migrated once', async () => {
    expect(await migrate(server, namespace)).toEqual([])
  })

  it('grants all roles only its use and the four helper functions', async () => {
    const granted = await runSql(
      database.url,
      `select kind, name, privilege_type from (
         select 'schema' as kind, nspname as name, coalesce(nspacl, acldefault('n', nspowner)) as acl
           from pg_namespace where nspname = 'auth'
         union all
         select 'table', relname,
             coalesce(relacl, acldefault(case relkind when 'S' then 's'::"char" else 'r' end, relowner))
           from pg_class where relnamespace = 'auth'::regnamespace and relkind in ('r', 'S', 'v', 'm')
         union all
         select 'function', proname, coalesce(proacl, acldefault('f', proowner))
           from pg_proc where pronamespace = 'auth'::regnamespace
       ) o, aclexplode(acl) where grantee = 0 order by 1 desc, 2`,
    )

    expect(granted.map((row) => Object.values(row).join(' '))).toEqual([
      'schema auth USAGE',
      ...helpers.map((name) => `function ${name} EXECUTE`),
    ])
  })

  it('has helper functions that run as their caller, with a fixed search path', async () => {
    const functions = await runSql(
      database.url,
      `select proname as name, provolatile as volatile, prosecdef as definer, proconfig as config
       from pg_proc where pronamespace = 'auth'::regnamespace order by 1`,
    )

    expect(functions).toEqual(
      helpers.map((name) => ({
        name,
        volatile: 's',
        definer: false,
        config: ['search_path=""'],
      })),
    )
  })

  it('accepts a second service beside the first, with other users', async () => {
    const [one, two] = ['one_', 'two_'].map((prefix) =>
      createAuth({
        siteUrl: 'https://app.example.test',
        database: { url: database.url, schema: 'accounts', namespace: prefix },
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
      }),
    ) as [Auth, Auth]
    const credentials = { email: 'both@example.test', password: 'correct horse' }

    const first = await one.api.signUp(credentials)
    const second = await two.api.signUp(credentials)
    const elsewhere = two.api.getUser({ accessToken: first.session?.accessToken ?? '' })

    expect(second.user.id).not.toBe(first.user.id)
    await expect(elsewhere).rejects.toMatchObject({ code: 'user_not_found' })
    await Promise.all([one.close(), two.close()])
  })
})

describe.skipIf(!isInstalled)('the embedded database', () => {
  let folder: string
  let embedded: OpenDatabase

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-embedded-'))
    embedded = await openDatabase(embeddedPostgresDriver(folder), namespace)
  }, 120_000)

  afterAll(async () => {
    await embedded?.close()
    await rm(folder, { recursive: true, force: true })
  })

  it('takes the same steps to the same schema', async () => {
    const taken = await migrate(embedded, namespace)

    expect(taken).toEqual(stepNames)
    expect(await drift(embedded)).toBe('')
    expect(await describeSchema(embedded, 'auth')).toEqual(await describeSchema(server, 'auth'))
  })

  it('takes the steps of a companion after its own, to the same tables', async () => {
    const { migrations: steps } = subscribePages

    const taken = await migrate(embedded, namespace, steps)

    expect(taken).toEqual(steps.map(({ name }) => name))
    await migrate(server, namespace, steps)
    expect(await describeSchema(embedded, 'auth')).toEqual(await describeSchema(server, 'auth'))
  })

  it('rejects a second process on its folder, and a second instance in this process', async () => {
    await expect(openDatabase(embeddedPostgresDriver(folder), namespace)).rejects.toThrow(
      'is already in use',
    )
  })
})
