import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PersonalTable } from '../src/kit/personal-table.ts'
import { impersonalTables, personalTables } from '../src/steps/personal-tables.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// A person may ask for everything that is stored about them, and to be forgotten. A column that nobody
// thought of would be in neither: so each is spoken of, in the room of its table (`personal-*.ts`).

let auth: TestAuth
let columns: Map<string, string[]>

beforeAll(async () => {
  auth = await startTestAuth()
  const rows = await auth.rows<{ name: string; columns: string[] }>(
    `select table_name as name, jsonb_agg(column_name) as columns
      from information_schema.columns where table_schema = 'auth' group by 1`,
  )
  columns = new Map(rows.map((row) => [row.name, row.columns.toSorted()]))
})
afterAll(() => auth.close())

const tables: PersonalTable[] = Object.values(personalTables)
const byName = tables.map((table) => [table.name, table] as const)

it('each table is about people, or it is said why not', () => {
  const spokenOf = [...tables.map(({ name }) => name), ...Object.keys(impersonalTables)]

  expect([...columns.keys()].toSorted()).toEqual(spokenOf.toSorted())
})

describe('each column of', () => {
  it.each(byName)('%s is exported, or withheld for a reason', (name, table) => {
    const reasons = Object.values(table.columns).flatMap((fate) =>
      fate === 'exported' ? [] : fate.withheld,
    )

    expect(Object.keys(table.columns).toSorted()).toEqual(columns.get(name))
    for (const reason of reasons) expect(reason).toMatch(/\w+ \w+/)
  })

  it.each(byName)(
    '%s goes when the person is erased, or is kept for a reason',
    (name, { erasure }) => {
      const all = columns.get(name) ?? []
      const kept = erasure.rows === 'kept' ? erasure.kept : {}
      const gone = erasure.rows === 'kept' ? erasure.cleared : all

      expect([...gone, ...Object.keys(kept)].toSorted()).toEqual(all)
      for (const reason of Object.values(kept)) expect(reason).toMatch(/\w+ \w+/)
    },
  )
})

it('what goes with the user refers to it', async () => {
  const cascading = await auth.rows<{ name: string }>(
    `select c.relname as name from pg_constraint f join pg_class c on c.oid = f.conrelid
      where f.confrelid = 'auth.users'::regclass and f.confdeltype = 'c'`,
  )
  const deleted = tables.filter(
    ({ belongsBy, erasure }) => 'ids' in belongsBy && erasure.rows === 'deleted',
  )

  expect(cascading.map(({ name }) => name).toSorted()).toEqual(
    deleted.flatMap(({ name }) => (name === 'users' ? [] : name)).toSorted(),
  )
})
