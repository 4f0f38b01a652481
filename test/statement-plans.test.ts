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

  const plans = await auth.rows<{ name: string; planned: number; reused: number }>(
    `select name, custom_plans::int as planned, generic_plans::int as reused
     from pg_prepared_statements where generic_plans + custom_plans >= ${used}`,
  )
  const subjectOf = (name: string) => name.split(':')[0]
  expect(plans.map(({ name }) => subjectOf(name))).toEqual(
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
