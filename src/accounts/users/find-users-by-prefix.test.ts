import { expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { recordingSql } from '../../../test/support/statements.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { findUsersByPrefix } from './find-users-by-prefix.sql.ts'

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

  const lines = plan.map((row) => String(row['QUERY PLAN']))
  const from = lines.findIndex((line) => /^ *(-> {2})?Limit /.test(line))
  const [limit, scan, condition] = lines.slice(from)
  expect(limit).toContain('Limit')
  expect(scan).toMatch(/-> {2}Index Scan (Backward )?using users_audience_email_id_index/)
  expect(condition).toMatch(/Index Cond: .*ROW.* > ROW.*ROW.* < ROW/)
})
