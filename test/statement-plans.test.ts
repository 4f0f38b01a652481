import { expect, it } from 'vitest'
import { startMeteredAuth } from './support/metered-auth.ts'
import { testPassword as password } from './support/test-auth.ts'

// PostgreSQL plans a prepared statement for each of its first five executions, and later whenever it
// estimates that a plan for the parameters saves more than the time of planning. To plan our
// statements takes longer than to execute them.

/** The executions of a statement that PostgreSQL always plans by their parameters. */
const firstExecutions = 5
/** The users who make requests. */
const used = 20

it('plans no statement of users again for each execution, once they have many sessions', async () => {
  const auth = await startMeteredAuth({ rateLimits: { header: 'x-client' } })
  let clients = 0
  const fromNewClient = () => {
    clients += 1
    return { headers: { 'x-client': `10.0.${clients >> 8}.${clients & 255}` } }
  }
  const emails = Array.from({ length: 300 }, (_, at) => `user-${at}@example.test`)
  const signIn = (email: string) =>
    auth.post('/token?grant_type=password', { email, password }, fromNewClient())
  for (const email of emails) await auth.post('/signup', { email, password }, fromNewClient())
  // The sessions of a user lie in many pages, as they do in a database of some age.
  await auth.rows(`insert into "auth".sessions
    select (jsonb_populate_record(s, jsonb_build_object(
      'id', gen_random_uuid(), 'opened_ip', s.opened_ip + 10000 * copy))).*
    from generate_series(1, 15) copy cross join "auth".sessions s order by copy`)
  for (const table of ['users', 'sessions', 'password_attempts'])
    await auth.rows(`analyze "auth".${table}`)

  const service = await auth.given.serviceToken()
  for (const email of emails.slice(0, used)) {
    const { body } = await signIn(email)
    const own = { token: body.access_token }
    await auth.get('/user', own)
    await auth.put('/user', { data: { name: email } }, own)
    await auth.post('/factors', { factor_type: 'totp', friendly_name: email }, own)
    await auth.get(`/admin/users/${body.user.id}`, { token: service })
    await auth.get('/admin/users?per_page=50', { token: service })
    await auth.post('/verify', { type: 'recovery', email, token: '123456' }, fromNewClient())
    const refreshed = await auth.post(
      '/token?grant_type=refresh_token',
      { refresh_token: body.refresh_token },
      fromNewClient(),
    )
    await auth.post('/recover', { email }, fromNewClient())
    await auth.post('/logout?scope=local', {}, { token: refreshed.body.access_token })
  }

  const plans = await plansOf(auth)
  expect(plans.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'find_for_sign_in_by_email',
      'open_session',
      'find_caller',
      'save_user',
      'insert_factor',
      'find_user_by_id',
      'list_users_desc',
      'count_code_attempt',
      'rotate_session',
      'find_for_message_by_email',
      'end_sessions',
    ]),
  )
  expect(plans.filter(({ planned }) => planned > firstExecutions)).toEqual([])
  await auth.close()
})

it('plans the list of users with a prefix no more often, once there are many users', async () => {
  const auth = await startMeteredAuth()
  await auth.post('/signup', { email: 'template@example.test', password })
  // PostgreSQL reads a table of up to 30,000 rows as a whole: the same statistics in each run. A
  // statement that inserts all rows exceeds the time limit of a connection on a busy machine.
  for (let first = 1; first <= 29_000; first += 1_000)
    await auth.rows(`insert into "auth".users
      select (jsonb_populate_record(u, jsonb_build_object(
        'id', gen_random_uuid(), 'email', 'user-' || n || '@example.test'))).*
      from generate_series(${first}, ${first + 999}) n
        join "auth".users u on u.email = 'template@example.test'`)
  await auth.rows('analyze "auth".users')

  const found = []
  for (let n = 1; n <= used; n += 1) {
    const { users } = await auth.auth.admin.listUsers({ emailPrefix: `user-${n}@` })
    found.push(...users.map(({ email }) => email))
  }

  expect(found).toEqual(Array.from({ length: used }, (_, at) => `user-${at + 1}@example.test`))
  expect(await plansOf(auth)).toEqual([
    { name: 'find_users_by_prefix_asc', planned: firstExecutions },
  ])
  await auth.close()
})

/** Returns the statements that were executed for every user, and how often each was planned. */
async function plansOf(auth: Awaited<ReturnType<typeof startMeteredAuth>>) {
  const plans = await auth.rows<{ name: string; planned: number }>(
    `select name, custom_plans::int as planned
     from pg_prepared_statements where generic_plans + custom_plans >= ${used}`,
  )
  return plans.map(({ name, planned }) => ({ name: name.split(':')[0], planned }))
}
