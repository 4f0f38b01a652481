import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { migrate } from './migrate.ts'
import { openDatabase } from './open-database.ts'
import { postgresDriver } from './postgres.ts'

let database: TestDatabase

async function migrateInto(schema: string, namespace = ''): Promise<string[]> {
  const place = { schema, namespace }
  const driver = postgresDriver({ url: database.url, maxPoolSize: 1, preparedStatements: true })
  const open = await openDatabase(driver, place)
  try {
    return await migrate(open, place)
  } finally {
    await open.close()
  }
}

const run = (statement: string) => runSql(database.url, statement)

const tables = () => run(`select tablename from pg_tables where schemaname = 'auth'`)

beforeEach(async () => {
  database = await createEmptyDatabase()
  await run('create schema auth')
})
afterEach(() => database.drop())

describe('a schema with objects of others', () => {
  it.each([
    { what: 'a table', name: 'users', statement: 'create table auth.users (id int)' },
    { what: 'a view', name: 'people', statement: 'create view auth.people as select 1 as id' },
    { what: 'a sequence', name: 'counter', statement: 'create sequence auth.counter' },
    {
      what: 'a function',
      name: 'uid',
      statement: 'create function auth.uid() returns int language sql return 1',
    },
  ])('such as $what is rejected, by name, and kept as it was', async ({ name, statement }) => {
    await run(statement)
    const before = await tables()

    await expect(migrateInto('auth')).rejects.toThrow(
      `The schema "auth" contains objects that are not Latchkey's (${name})`,
    )

    expect(await tables()).toEqual(before)
  })

  it('is also rejected for a further namespace beside our tables', async () => {
    await migrateInto('auth')
    await run('create function auth.other() returns int language sql return 1')

    expect(await migrateInto('auth')).toEqual([])
    await expect(migrateInto('auth', 'two_')).rejects.toThrow('(other)')
  })

  it('is accepted where it contains only objects of an extension', async () => {
    await run('create extension pgcrypto schema auth')

    expect(await migrateInto('auth')).not.toEqual([])
  })

  it('does not affect other schemas', async () => {
    await run('create table auth.users (id int)')

    expect(await migrateInto('accounts')).not.toEqual([])
  })
})
