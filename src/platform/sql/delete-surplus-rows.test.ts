import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { deleteSurplusRows } from './delete-rows.sql.ts'
import type { TableFragments } from './tables.ts'

let database: TestDatabase
let client: pg.Client

beforeAll(async () => {
  database = await createEmptyDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})
beforeEach(async () => {
  await client.query(`drop table if exists surplus;
    create table surplus (id int primary key, owner int, created_at timestamptz default now());
    deallocate all`)
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

const fragments = { table: () => 'surplus' } as unknown as TableFragments
const deletion = deleteSurplusRows(fragments, 'challenges', { owner: 'owner = 1', most: 3 })

it('deletes the oldest rows of the owner, and leaves room for the inserted one', async () => {
  await client.query(`insert into surplus
    select n, n % 2, now() + n * interval '1 s' from generate_series(1, 10) n`)
  await client.query(deletion)

  const { rows } = await client.query('select id from surplus order by id')
  expect(rows.map(({ id }) => id)).toEqual([2, 4, 6, 7, 8, 9, 10])
})

it('S100: reads a table a few times only, also by the plan of a table that was empty', async () => {
  await client.query('vacuum analyze surplus')
  await client.query(`prepare deletion as ${deletion}`)
  await client.query('execute deletion')
  await client.query(`insert into surplus select n, 0 from generate_series(1, 2000) n`)
  const { rows } = await client.query('explain (analyze, buffers, format json) execute deletion')

  // The table has 11 pages. A selection that is repeated for each row reads more than 20,000.
  const { 'Shared Hit Blocks': hit, 'Shared Read Blocks': read } = rows[0]['QUERY PLAN'][0].Plan
  expect(hit + read).toBeGreaterThan(0)
  expect(hit + read).toBeLessThan(1_000)
})

it('S100: no statement locks rows in a selection that PostgreSQL may repeat', () => {
  const folder = join(import.meta.dirname, '../..')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
  const lockingIn = (selection: RegExp) =>
    files
      .filter(({ text }) =>
        [...text.matchAll(selection)].some(({ index }) =>
          withinParentheses(text, index).includes('skip locked'),
        ),
      )
      .map(({ name }) => name)

  expect(lockingIn(/\barray\((?=\s*select)/g).length).toBeGreaterThan(5)
  expect(lockingIn(/\bin \((?=\s*select)/g)).toEqual([])
})

/** Returns the text between the first parenthesis after a position and its counterpart. */
function withinParentheses(text: string, from: number): string {
  const start = text.indexOf('(', from)
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1
    if (text[at] === ')') depth -= 1
    if (depth === 0) return text.slice(start, at)
  }
  return text.slice(start)
}
