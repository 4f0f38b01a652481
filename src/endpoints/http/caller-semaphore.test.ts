import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'

const maxPoolSize = 12

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ database: { maxPoolSize } })
})
afterAll(() => auth.close())

/** Returns the number of statements that wait for a lock. */
const blocked = async (): Promise<number> => {
  const [row] = await auth.rows<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.count ?? 0
}

it('S96: requests of one user that wait for one row leave connections to other users', async () => {
  const { user, accessToken } = await auth.given.session()
  const other = await auth.given.session()
  const holder = new pg.Client({ connectionString: auth.databaseUrl })
  holder.on('error', () => {})
  await holder.connect()
  await holder.query('begin')
  await holder.query('select from auth.users where id = $1 for update', [user.id])

  const waiting = Array.from({ length: 2 * maxPoolSize }, () =>
    auth.put('/user', { data: { n: 1 } }, { token: accessToken }),
  )
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(8))
  const answer = await auth.get('/user', { token: other.accessToken })
  const held = await blocked()
  await holder.end()

  expect(answer.status).toBe(200)
  // PostgreSQL reports a statement that is about to wait again as running.
  expect(held).toBeLessThanOrEqual(8)
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]))
})

it('S105: requests of one user from one network delay those from another by a few turns', async () => {
  const { accessToken } = await auth.given.session()
  const get = (ip: string) => auth.get('/user', { token: accessToken, ip })
  let served = 0
  const flood = Array.from({ length: 300 }, () =>
    get('203.0.113.9').then(() => {
      served += 1
    }),
  )
  await waitFor(async () => expect(served).toBeGreaterThan(0))

  const before = served
  const { status } = await get('198.51.100.7')
  const servedMeanwhile = served - before
  await Promise.all(flood)

  expect(status).toBe(200)
  expect(servedMeanwhile).toBeLessThan(100)
})
