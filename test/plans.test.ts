import { afterEach, describe, expect, it } from 'vitest'
import { createTestDatabase } from './support/database.ts'
import { startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

// PostgreSQL plans a named statement at each of its first five executions, and at later ones if it
// expects a better plan from the values. Planning costs more than reading a row, so statements must
// have a generic plan.

let auth: TestAuth
let drop: () => Promise<void>
afterEach(async () => {
  await auth.close()
  await drop()
})

/** Starts Latchkey on one connection, with so many users that plans matter. */
async function startWithUsers(sessions = {}): Promise<void> {
  const database = await createTestDatabase()
  drop = database.drop
  auth = await startTestAuth({
    database: { url: database.url, maxPoolSize: 1 },
    email: { autoconfirm: false, maxFrequencySeconds: 0 },
    hooks: { sendEmail: async () => {} },
    sessions,
  })
  await auth.given.session()
  for (const copies of [users, identities, sessionsOf]) await auth.rows(copies)
  await auth.rows('analyze')
}

const copy = (table: string, from: string, changes: string) => `
  insert into auth.${table}
  select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), ${changes}))).*
  from auth.${table} t, ${from}`
const copiedUsers = `(select id from auth.users where email like 'copy%') u`
const users = copy('users', 'generate_series(1, 5000) n', `'email', 'copy' || n || '@x.test'`)
const identities = copy('identities', copiedUsers, `'user_id', u.id, 'subject', u.id`)
const sessionsOf = copy('sessions', copiedUsers, `'user_id', u.id`)

/** Sends all requests of a user. */
async function useAll(n: number): Promise<void> {
  const { user, accessToken } = await auth.given.session(`person${n}@example.test`)
  const { email } = user
  const signedIn = await auth.post('/token?grant_type=password', { email, password: testPassword })
  let { refresh_token } = signedIn.body
  for (let times = 0; times < 2; times += 1) {
    const renewed = await auth.post('/token?grant_type=refresh_token', { refresh_token })
    refresh_token = renewed.body.refresh_token
  }
  const token = signedIn.body.access_token
  const answers = [
    await auth.get('/user', { token }),
    await auth.put('/user', { data: { n } }, { token }),
    await auth.post('/signup', { email: `new${n}@example.test`, password: testPassword }),
    await auth.post('/otp', { email }),
    await auth.post('/recover', { email }),
    await auth.post('/resend', { type: 'signup', email: `new${n}@example.test` }),
    await auth.post('/logout', {}, { token: accessToken }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 204])
  await auth.auth.admin.findUser({ email: email ?? '' })
}

interface Plans {
  name: string
  generic: number
  custom: number
}

const plans = () =>
  auth.rows<Plans>(
    `select name, generic_plans::int as generic, custom_plans::int as custom
    from pg_prepared_statements order by name`,
  )

/**
 * The background statements of the outbox are excluded: their plan depends on the number of rows.
 */
const isOfRequests = ({ name }: Plans) => !/^(claim_messages|settle_messages):/.test(name)

describe('a named statement of a request', () => {
  it.each([{}, { singlePerUser: true, allowLowAalSeconds: 3600 }])(
    'is planned once among many users: %j',
    async (sessions) => {
      await startWithUsers(sessions)
      for (let n = 0; n < 7; n += 1) await useAll(n)

      const planned = (await plans()).filter(isOfRequests)

      expect(planned.length).toBeGreaterThan(8)
      expect(planned.filter(({ generic }) => generic === 0)).toEqual([])
    },
    60_000,
  )
})
