import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { waitFor } from '../../../test/support/wait-for.ts'

// Acts that end all sessions of a user, beside a request that opens one, as an exchange of an OAuth
// client's code does.

let auth: TestAuth
let other: pg.Client

beforeAll(async () => {
  auth = await startTestAuth()
  other = new pg.Client({ connectionString: auth.databaseUrl })
  await other.connect()
})
afterAll(async () => {
  await other.end()
  await auth.close()
})

const blocked = async (): Promise<number> => {
  const rows = await auth.rows(
    `select pid from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

it.each([
  ['a sign-out', (_id: string, token: string) => auth.post('/logout?scope=global', {}, { token })],
  [
    'an operator',
    async (id: string) => {
      const token = await auth.given.serviceToken()
      return auth.request('DELETE', `/admin/users/${id}/sessions`, { token })
    },
  ],
])('S123: %s also ends a session that was opened meanwhile', async (_act, end) => {
  const { user, accessToken } = await auth.given.session()
  await other.query('begin')
  await other.query('update auth.users set version = version + 1 where id = $1', [user.id])
  await other.query(
    `insert into auth.sessions select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid()))).*
     from auth.sessions s where user_id = $1`,
    [user.id],
  )

  const ending = end(user.id, accessToken)
  await waitFor(async () => expect(await blocked()).toBe(1))
  await other.query('commit')

  expect((await ending).status).toBeLessThan(300)
  expect(await auth.rows('select id from auth.sessions where user_id = $1', [user.id])).toEqual([])
})
