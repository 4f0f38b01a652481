import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { sweepExpiredRows } from '../../platform/sql/delete-rows.sql.ts'
import { sweepFactors } from './factors.sql.ts'

let auth: TestAuth
let factors: SecondFactors

beforeAll(async () => {
  auth = await startTestAuth()
  factors = secondFactors(auth)
})
afterAll(() => auth.close())

const sweep = async (limit = 100) => {
  const { database } = await auth.deps()
  const expiredSince = new Date(auth.clock.now().getTime() - 86_400_000)
  await sweepFactors(database.sql, { expiredSince, limit })
  await sweepExpiredRows('challenges')(database.sql, { expiredSince, limit })
}
const idsIn = async (table: string) =>
  (await auth.rows<{ id: string }>(`select id from auth.${table}`)).map(({ id }) => id)

it('deletes challenges and unverified factors older than a day, and no others', async () => {
  const { accessToken: token, app } = await factors.aal2Session()
  await factors.enrolledApp(token, 'abandoned')
  auth.clock.advance(86_400 + 301)
  const { accessToken: later } = await auth.given.session()
  const begun = await factors.enrolledApp(later)
  const challenge = await factors.challenge(later, begun.id)

  await sweep()

  expect((await idsIn('factors')).toSorted()).toEqual([app.id, begun.id].toSorted())
  expect(await idsIn('challenges')).toEqual([challenge])
})

it('deletes no more than the limit', async () => {
  const { accessToken: token } = await auth.given.session()
  for (const name of ['a', 'b', 'c']) await factors.enrolledApp(token, name)
  const before = (await idsIn('factors')).length
  auth.clock.advance(86_401)

  await sweep(2)

  expect((await idsIn('factors')).length).toBe(before - 2)
})
