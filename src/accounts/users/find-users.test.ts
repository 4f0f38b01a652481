import { expect, it } from 'vitest'
import { createEmptyDatabase } from '../../../test/support/database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { recordingSql } from '../../../test/support/statements.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { findUsersByPage, findUsersByPrefix } from './find-users.sql.ts'

const indexOf = (url: string) =>
  runSql(url, `select indexdef from pg_indexes where indexname like '%users_trigrams'`)

it('finds parts of addresses by an index where the extension is installed, in any schema', async () => {
  const database = await createEmptyDatabase()
  await runSql(database.url, 'create schema "Odd Extensions"')
  await runSql(database.url, 'create extension pg_trgm schema "Odd Extensions"')

  const place = { url: database.url, namespace: 'app_' }
  const auth = await startTestAuth({ database: place })
  await auth.auth.admin.createUser({ email: 'ada.lovelace@example.test' })
  const token = await auth.given.serviceToken()
  const { body } = await auth.get('/admin/users?filter=lovel', { token })
  const plan = await runSql(
    `${database.url}?options=${encodeURIComponent('-c enable_seqscan=off')}`,
    `explain select id from auth.app_users
      where email like '%lovel%' or user_metadata ->> 'full_name' ilike '%lovel%'`,
  )
  const indexes = await indexOf(database.url)
  await auth.close()
  await database.drop()

  expect(body.users).toHaveLength(1)
  expect(indexes).toHaveLength(1)
  expect(JSON.stringify(plan)).toContain('app_users_trigrams')
})

it('creates no such index without the extension', async () => {
  const auth = await startTestAuth()

  expect(await indexOf(auth.databaseUrl)).toEqual([])
  await auth.close()
})

it.each(['asc', 'desc'] as const)('reads no more users than it returns, %s', async (order) => {
  const auth = await startTestAuth()
  const { sql, requested } = recordingSql()
  const query = { audience: 'authenticated', emailPrefix: 'ada', order }
  await findUsersByPrefix(sql, query, { limit: 5, after: null })

  const { text = '', values = [] } = requested[0] ?? {}
  const explained = text.replace(/\$(\d)/g, (_parameter, at) => `'${values[at - 1]}'`)
  const url = `${auth.databaseUrl}?options=${encodeURIComponent('-c enable_seqscan=off')}`
  const plan = await runSql(url, `explain ${explained}`)
  await auth.close()

  const lines = plan.map((row) => String(row['QUERY PLAN']).trim())
  const scansOf = (alias: string) =>
    lines.flatMap((line, at) => (line.includes(` on users ${alias} `) ? [line, lines[at + 1]] : []))
  expect(lines.filter((line) => line.startsWith('->  Limit'))).toHaveLength(3)
  expect(scansOf('o')).toEqual([
    expect.stringMatching(/^-> {2}Index Only Scan (Backward )?using users_email_unique/),
    expect.stringMatching(/^Index Cond: .*email >= .*email <= /),
  ])
  expect(scansOf('u_1')).toEqual([
    expect.stringMatching(/^-> {2}Index Scan using users_email_unique/),
    expect.stringMatching(/^Index Cond: .*email = ANY /),
  ])
  expect(scansOf('u_2')).toEqual([
    expect.stringMatching(/^-> {2}Index Only Scan (Backward )?using users_audience_email_id_index/),
    expect.stringMatching(/^Index Cond: .*ROW.* > ROW.*ROW.* < ROW/),
  ])
})

it.each([
  [1, false],
  [5, true],
])('counts all users only where a page of %i may not be the last', async (limit, isLast) => {
  const auth = await startTestAuth()
  await auth.auth.admin.createUser({ email: 'ada@example.test' })
  const { sql, requested } = recordingSql()
  const query = { audience: 'authenticated', filter: 'ada', order: 'desc' } as const
  await findUsersByPage(sql, query, { limit, offset: 0 })

  const { text = '', values = [] } = requested[0] ?? {}
  const explained = text.replace(/\$(\d)/g, (_parameter, at) => `'${values[at - 1]}'`)
  const plan = await runSql(auth.databaseUrl, `explain analyze ${explained}`)
  await auth.close()

  const lines = plan.map((row) => String(row['QUERY PLAN']))
  expect(lines.some((line) => line.includes('never executed'))).toBe(isLast)
})
