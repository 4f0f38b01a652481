import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { recordingSql } from '../../../test/support/statements.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { PreconditionText } from '../../platform/sql/queryable.ts'
import { findForMessage } from './find-for-message.sql.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
  await auth.given.user('ada@example.test')
})
afterAll(() => auth.close())

/** Returns the pages of the look-up's join that PostgreSQL read, as `explain` prints them. */
async function readPages(isAllowed: boolean): Promise<string[]> {
  const text: PreconditionText<object> = () =>
    `spent as materialized (select ${isAllowed} as allowed)`
  const { sql, requested } = recordingSql()
  const address = { kind: 'email', value: 'ada@example.test' } as const
  // No statement is executed, so none returns what was spent.
  const found = findForMessage(sql, { text, values: {} }, address)
  await expect(found).rejects.toThrow('limits were not spent')
  const [{ text: statement = '', values = [] } = {}] = requested
  const explained = statement.replace(/\$(\d)/g, (_parameter, at) => `'${values[at - 1]}'`)
  const url = `${auth.databaseUrl}?options=${encodeURIComponent('-c enable_seqscan=off')}`
  const plan = await runSql(url, `explain (analyze, buffers, costs off, timing off) ${explained}`)
  const lines = plan.map((row) => String(row['QUERY PLAN']))
  const scan = lines.findIndex((line) => line.includes('on users u'))
  return lines.slice(scan, scan + 5)
}

describe('the recipient of a message', () => {
  it('is found by the index on its address', async () => {
    expect((await readPages(true)).join('\n')).toMatch(/rows=1.*\n.*Index Cond: .*email = /)
  })

  it('is not looked up where the limits reject the request', async () => {
    const pages = await readPages(false)
    expect(pages.join('\n')).toMatch(/rows=0.*\n.*Index Cond: .*email = /)
    expect(pages.join('\n')).not.toContain('Buffers')
  })
})
