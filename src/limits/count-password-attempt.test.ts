import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../test/support/test-auth.ts'
import { waitFor } from '../../test/support/wait-for.ts'

const maxPoolSize = 12

let auth: TestAuth
let host: pg.Client

beforeAll(async () => {
  auth = await startTestAuth({ database: { maxPoolSize } })
  host = new pg.Client({ connectionString: auth.databaseUrl })
  host.on('error', () => {})
  await host.connect()
})
afterAll(async () => {
  await host.end()
  await auth.close()
})

/** Returns the number of statements that wait for a lock. */
const blocked = async (): Promise<number> => {
  const [row] = await auth.rows<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return row?.count ?? 0
}

it('S109: lookups for sign-ins leave connections to other requests', async () => {
  const { user, accessToken } = await auth.given.session()
  const { email } = user
  const signIn = () => auth.post('/token?grant_type=password', { email, password: testPassword })
  await host.query('begin; lock table auth.password_attempts in access exclusive mode')

  const waiting = Array.from({ length: 2 * maxPoolSize }, signIn)
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(8))
  const answer = await auth.get('/user', { token: accessToken })
  const held = await blocked()
  // The transaction holds the lock for which the others wait: it must not wait for them.
  const inTransaction = await auth.auth.api.signInWithPassword(
    { email: email ?? '', password: testPassword },
    { tx: host },
  )
  await host.query('commit')

  expect(answer.status).toBe(200)
  expect(held).toBe(8)
  expect(inTransaction.user.id).toBe(user.id)
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([200]))
})
