import { expect, it } from 'vitest'
import { createEmptyDatabase, createTestDatabase } from './database.ts'
import { runSql } from './sql.ts'

const ourTables = `select table_name from information_schema.tables where table_schema = 'auth'`

it('gives each caller a migrated database of its own', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  await runSql(one.url, 'create table only_here (id int)')

  expect(await runSql(one.url, ourTables)).not.toEqual([])
  await expect(runSql(other.url, 'table only_here')).rejects.toThrow('does not exist')

  await one.drop()
  await other.drop()
  await expect(runSql(one.url, 'select 1')).rejects.toThrow('does not exist')
})

it('creates an empty one for tests of migrations', async () => {
  const empty = await createEmptyDatabase()

  expect(await runSql(empty.url, ourTables)).toEqual([])

  await empty.drop()
})
