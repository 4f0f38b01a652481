import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subscribePages } from '../src/capabilities/subscribe-pages/capability.ts'
import { capabilityTables } from '../src/platform/capability-terms.ts'
import type { PersonalTable } from '../src/platform/sql/personal-table.ts'
import { migrate } from '../src/service/persistence/migrate.ts'
import { openDatabase } from '../src/service/persistence/open-database.ts'
import { postgresDriver } from '../src/service/persistence/postgres.ts'
import type { Namespace } from '../src/service/persistence/table-names.ts'
import { createEmptyDatabase, createTestDatabase } from './support/database.ts'
import { describeSchema } from './support/describe-schema.ts'
import { type PagesAdmin, startTestPages, type TestPages } from './support/pages.ts'
import { startTestAuth } from './support/test-auth.ts'

// The tables of the subscription pages: they equal its entities, exist for services that use it only, and
// declare their personal data.

const steps = subscribePages.migrations

describe('the schema', () => {
  it.each<[string, Namespace]>([
    ['is, once migrated, what the entities say', { schema: 'auth', namespace: '' }],
    ['is so behind a prefix, too', { schema: 'accounts', namespace: 'app_' }],
  ])('%s', async (_, place) => {
    const empty = await createEmptyDatabase()
    const options = { url: empty.url, maxPoolSize: 2, preparedStatements: true }
    const database = await openDatabase(postgresDriver(options), place)
    await migrate(database, place)
    expect(await migrate(database, place, steps)).toEqual(steps.map(({ name }) => name))
    expect(await migrate(database, place, steps)).toEqual([])
    expect(await migrate(database, place)).toEqual([])

    const entities = await subscribePages.entities()
    const drift = await database.withOrm((orm) => {
      orm.discoverEntity(entities)
      const { config, schema } = orm
      config.set('schemaGenerator', { ...config.get('schemaGenerator'), ignoreRoutines: true })
      return schema.getUpdateSchemaSQL({ wrap: false })
    })

    expect(drift).toBe('')
    await database.close()
    await empty.drop()
  })

  it('is unchanged for a service without this capability', async () => {
    const untouched = await createTestDatabase()
    const before = await describeSchema(untouched.url, 'auth')
    await untouched.drop()

    const auth = await startTestAuth()
    await auth.auth.ready()
    await (await auth.auth.admin.exportUser((await auth.given.user()).id)).read()

    expect(await describeSchema(auth.databaseUrl, 'auth')).toEqual(before)
    await auth.close()
  })
})

describe('personal data', () => {
  let pages: TestPages
  let maria: PagesAdmin

  beforeAll(async () => {
    pages = await startTestPages()
    maria = await pages.admin()
    await pages.page(maria.key, { title: 'Hers' })
  })
  afterAll(() => pages.close())

  const tables = Object.values(subscribePages.personalTables)

  it('is declared for each column of each table', async () => {
    const rows = await pages.auth.rows<{ name: string; columns: string[] }>(
      `select table_name as name, jsonb_agg(column_name) as columns
       from information_schema.columns where table_schema = 'auth' and table_name like 'subscri%' group by 1`,
    )

    const known = new Map(rows.map(({ name, columns }) => [name, columns.toSorted()]))
    const spokenOf = [...tables.map(({ name }) => name), ...Object.keys(subscribePages.otherTables)]
    expect([...known.keys()].toSorted()).toEqual(spokenOf.toSorted())
    expect(capabilityTables).toEqual(expect.arrayContaining(spokenOf))
    for (const { name, columns, erasure } of tables as PersonalTable[]) {
      expect(Object.keys(columns).toSorted()).toEqual(known.get(name))
      const kept = erasure.rows === 'kept' ? Object.keys(erasure.kept) : []
      const deleted = erasure.rows === 'kept' ? erasure.cleared : (known.get(name) ?? [])
      expect([...deleted, ...kept].toSorted()).toEqual(known.get(name))
    }
  })

  it('is in the export of a user, without the hash of a key', async () => {
    const { companions } = await (await pages.auth.auth.admin.exportUser(maria.user.id)).read()

    const id = expect.any(Number)
    expect(companions).toEqual({
      subscribePageOwners: [{ id, userId: maria.user.id }],
      subscribePages: [{ id, title: 'Hers', active: true, ownerId: id }],
      subscribePageKeys: [
        {
          id: maria.keyId,
          sessionId: expect.any(String),
          expiresAt: expect.any(String),
          createdAt: expect.any(String),
        },
      ],
    })
  })

  it('can be exported before the first request has created the tables', async () => {
    const fresh = await startTestPages()
    const { id } = await fresh.auth.given.user()

    const { companions } = await (await fresh.auth.auth.admin.exportUser(id)).read()

    expect(companions).toEqual({
      subscribePageOwners: [],
      subscribePages: [],
      subscribePageKeys: [],
    })
    await fresh.close()
  })

  it.each([
    ['deleted', (id: string) => pages.auth.auth.admin.deleteUser(id)],
    ['deleted softly', (id: string) => pages.auth.auth.admin.deleteUser(id, { soft: true })],
    ['erased', (id: string) => pages.auth.auth.admin.eraseUser(id)],
  ])('contains no user who is %s, and the pages stay', async (_, end) => {
    const admin = await pages.admin()
    const { id } = await pages.page(admin.key, { title: 'Left behind' })

    await end(admin.user.id)

    const mine = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })
    const anonymous = await pages.ask('GET', `/subscribe-pages/${id}`)
    const listed = await pages.ask('GET', `/subscribe-pages?after_id=${id - 1}`, { key: maria.key })
    expect(mine.body).toMatchObject({ title: 'Left behind', owner: null })
    expect([anonymous.status, anonymous.body.owner]).toEqual([200, null])
    expect(listed.body.items).toEqual([mine.body])
  })

  it('is deleted from every table by an erasure', async () => {
    const admin = await pages.admin()
    await pages.page(admin.key)

    await pages.auth.auth.admin.eraseUser(admin.user.id)

    const left = await pages.auth.rows(
      `select 1 from auth.subscribe_page_owners where user_id = $1
       union all select 1 from auth.subscribe_page_keys where id = $2`,
      [admin.user.id, admin.keyId],
    )
    expect(left).toEqual([])
  })
})
