import { expect, it } from 'vitest'
import { runSql } from '../../../test/support/sql.ts'
import { recordingSql } from '../../../test/support/statements.ts'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { nilUuid } from '../../platform/kit/uuid.ts'
import { findByIdentity } from './find-user.sql.ts'

it.each([
  ['github', /Scan using identities_provider_subject_unique.*\n.*Index Cond: .*subject = /],
  // Those of our own provider are in no index of subjects: their subject is the user's id.
  ['email', /on identities_user_id_provider_subject_unique.*\n.*Index Cond: .*user_id = /],
] as const)('finds an identity at %s by an index', async (provider, condition) => {
  const auth = await startTestAuth()
  const { sql, requested } = recordingSql()
  await findByIdentity(sql, { provider, subject: nilUuid })

  const { text = '', values = [] } = requested[0] ?? {}
  const explained = text.replace(/\$(\d)/g, (_parameter, at) => `'${values[at - 1]}'`)
  const url = `${auth.databaseUrl}?options=${encodeURIComponent('-c enable_seqscan=off')}`
  const plan = (await runSql(url, `explain ${explained}`)).map((row) => String(row['QUERY PLAN']))
  await auth.close()

  expect(plan.join('\n')).toMatch(condition)
})
