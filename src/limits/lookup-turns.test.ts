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

const signIn = (email: string) =>
  auth.post('/token?grant_type=password', { email, password: testPassword })
const recover = (email: string) => auth.post('/recover', { email })

/** Sends requests that wait for a table which the host's transaction has locked. */
async function sendWaiting(table: string, request: (email: string) => Promise<{ status: number }>) {
  await host.query(`begin; lock table auth.${table} in access exclusive mode`)
  const sent = Array.from({ length: 2 * maxPoolSize }, (_, at) => request(`${at}@turns.test`))
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(8))
  return {
    served: async () => {
      await host.query('commit')
      return (await Promise.all(sent)).filter(({ status }) => status < 500).length
    },
  }
}

it.each([
  { kind: 'sign-ins', table: 'password_attempts', request: signIn },
  { kind: 'messages', table: 'rate_limit_buckets', request: recover },
])('S109: lookups for $kind leave connections to other requests', async ({ table, request }) => {
  const { accessToken } = await auth.given.session()
  const waiting = await sendWaiting(table, request)

  const answer = await auth.get('/user', { token: accessToken })

  expect(answer.status).toBe(200)
  expect(await blocked()).toBe(8)
  expect(await waiting.served()).toBe(2 * maxPoolSize)
})

it('lookups in a transaction do not wait for those that wait for its rows', async () => {
  const { user } = await auth.given.session()
  const waiting = await sendWaiting('password_attempts', signIn)

  const signedIn = await auth.auth.api.signInWithPassword(
    { email: user.email ?? '', password: testPassword },
    { tx: host },
  )

  expect(signedIn.user.id).toBe(user.id)
  expect(await waiting.served()).toBe(2 * maxPoolSize)
})
