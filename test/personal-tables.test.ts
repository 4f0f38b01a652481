import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nonPersonalTables, personalTables } from '../src/accounts/lifecycle/personal-tables.ts'
import { exportRows } from '../src/platform/sql/export-rows.sql.ts'
import { exported, type PersonalTable, personalTable } from '../src/platform/sql/personal-table.ts'
import type { TableName } from '../src/platform/sql/tables.ts'
import { builtInCapabilities, builtInTables } from '../src/service/capabilities.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// Users may request all their personal data, and its erasure. Each column is part of both by a
// decision in the folder of its table (`personal-*.ts`).

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

const tables: PersonalTable[] = Object.values({ ...personalTables, ...builtInTables })
const otherTables = Object.assign(
  {},
  nonPersonalTables,
  ...builtInCapabilities.map((one) => one.otherTables),
)
const byName = tables.map((table) => [table.name, table] as const)

it('each table has personal data, or a reason why not', () => {
  const spokenOf = [...tables.map(({ name }) => name), ...Object.keys(otherTables)]

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

  it.each(byName)('%s is erased, or kept for a reason', (name, { erasure }) => {
    const all = columns.get(name) ?? []
    const kept = erasure.rows === 'kept' ? erasure.kept : {}
    const deleted = erasure.rows === 'kept' ? erasure.cleared : all

    expect([...deleted, ...Object.keys(kept)].toSorted()).toEqual(all)
    for (const reason of Object.values(kept)) expect(reason).toMatch(/\w+ \w+/)
  })
})

it.each(
  tables.flatMap(({ name, belongsBy, erasure }) => {
    if (name === 'users' || erasure.rows === 'kept' || 'key' in belongsBy) return []
    return [[name, 'parent' in belongsBy ? belongsBy.parent.name : 'users'] as const]
  }),
)('the deleted columns of %s are deleted with their row of %s', async (name, parent) => {
  const cascading = await auth.rows(
    `select 1 from pg_constraint where conrelid = $1::regclass and confrelid = $2::regclass
      and contype = 'f' and confdeltype = 'c'`,
    [`auth.${name}`, `auth.${parent}`],
  )

  expect(cascading).toHaveLength(1)
})

it('a row belongs to the user of the row that it refers to', async () => {
  const { user } = await auth.given.session()
  await auth.given.session()
  await auth.rows('create table auth.devices (id uuid, session_id uuid, device_name text)')
  await auth.rows(
    `insert into auth.devices select gen_random_uuid(), s.id, u.email
      from auth.sessions s join auth.users u on u.id = s.user_id`,
  )
  const devices = personalTable<{ device_name: string }>()({
    name: 'devices' as TableName,
    belongsBy: { parent: personalTables.sessions, column: 'session_id' },
    columns: { device_name: exported },
    erasure: { rows: 'deleted' },
  })

  const { sql } = (await auth.deps()).database
  const { rows: own } = await exportRows(sql, devices, { userId: user.id, keys: [] })

  expect(own).toEqual([{ deviceName: user.email }])
})
