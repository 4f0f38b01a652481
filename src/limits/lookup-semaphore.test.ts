import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../test/support/test-auth.ts'
import { waitFor } from '../../test/support/wait-for.ts'

const maxPoolSize = 10
/** A quarter of the pool. */
const lookups = 2

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

const send = (request: (email: string) => Promise<{ status: number }>) =>
  Array.from({ length: 2 * maxPoolSize }, (_, at) => request(`${at}@turns.test`))

it('S109: lookups for sign-ins and messages leave connections to other requests', async () => {
  const { accessToken } = await auth.given.session()
  await host.query('begin')
  for (const table of ['password_attempts', 'rate_limit_buckets']) {
    await host.query(`lock table auth.${table} in access exclusive mode`)
  }
  const sent = [...send(signIn), ...send(recover)]
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(2 * lookups))

  const answer = await auth.get('/user', { token: accessToken })
  const waiting = await blocked()
  await host.query('commit')

  expect(answer.status).toBe(200)
  // PostgreSQL reports a statement that is about to wait again as running.
  expect(waiting).toBeLessThanOrEqual(2 * lookups)
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
})

it('S109: lookups for sign-ups leave connections to other requests', async () => {
  await host.query('begin; lock table auth.users in access exclusive mode')

  const sent = send((email) => auth.post('/signup', { email, password: testPassword }))
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(lookups))
  // A further lookup would begin within this time.
  await wait(200)
  const waiting = await blocked()
  await host.query('commit')

  expect(waiting).toBeLessThanOrEqual(lookups)
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]))
})

it('S109: a locked row of one user delays neither the sign-in of another nor calls in code', async () => {
  const [locked, other] = [await auth.given.session(), await auth.given.session()]
  const email = locked.user.email ?? ''
  await host.query('begin')
  const options = { tx: host }
  await auth.auth.api.signInWithPassword({ email, password: testPassword }, options)
  const sent = Array.from({ length: 2 * maxPoolSize }, () => signIn(email))
  await waitFor(async () => expect(await blocked()).toBeGreaterThanOrEqual(1))

  const otherEmail = other.user.email ?? ''
  const served = await signIn(otherEmail)
  const called = await auth.auth.api.signInWithPassword({
    email: otherEmail,
    password: testPassword,
  })
  await host.query('commit')

  expect(served.status).toBe(200)
  expect(called.user.id).toBe(other.user.id)
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([200]))
})
