import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import { findActivity } from './activity.sql.ts'
import { countRecentActivity } from './count-activity.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ console: { enabled: true } })
})
afterAll(() => auth.close())

const today = async () =>
  (await findActivity((await auth.deps()).database.sql, auth.clock.now(), 30)).at(-1)
const count = async () => countRecentActivity(await auth.deps())

describe('the counts of activity', () => {
  it('are made from the events since the last count, and are the same when repeated', async () => {
    const { user } = await auth.given.session()
    await auth.post('/token?grant_type=password', { email: user.email, password: 'wrong' })
    await count()
    const first = await today()
    expect(first).toMatchObject({ sign_ups: 1, sign_ins: 1, failures: 1, active_users: 1 })

    auth.clock.advance(301)
    await count()
    expect(await today()).toEqual(first)

    await auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword })
    auth.clock.advance(301)
    await count()
    expect(await today()).toMatchObject({ sign_ins: 2 })
  })

  it('are made every five minutes, also by several instances', async () => {
    const before = await today()
    const { email } = await auth.given.user()
    await auth.auth.api.signInWithPassword({ email: email ?? '', password: testPassword })
    auth.clock.advance(60)
    await count()
    expect(await today()).toEqual(before)
    auth.clock.advance(300)
    await Promise.all([count(), count()])
    expect((await today())?.sign_ins).toBe((before?.sign_ins ?? 0) + 1)
  })

  it('are made by the sweep', async () => {
    const before = await today()
    await auth.given.session()
    auth.clock.advance(301)
    await auth.auth.runDueWork()
    expect((await today())?.sign_ins).toBe((before?.sign_ins ?? 0) + 1)
  })

  it('of more than 400 days ago are deleted', async () => {
    await auth.rows(
      `insert into auth.activity_counts values ('sign_ins', $1::timestamptz - interval '401 days', 5)`,
      [auth.clock.now().toISOString()],
    )
    auth.clock.advance(3_601)
    await count()
    expect(await auth.rows('select 1 from auth.activity_counts where occurrences = 5')).toEqual([])
  })
})

it('makes no counts while the console is disabled', async () => {
  const other = await startTestAuth()
  await other.given.session()
  await other.auth.runDueWork()
  expect(await other.rows('select 1 from auth.activity_counts')).toEqual([])
  await other.close()
})
