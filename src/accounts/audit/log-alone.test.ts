import { afterAll, beforeAll, expect, it } from 'vitest'
import { type GivenPerson, givenPerson, wordsOf } from '../../../test/support/people.ts'
import {
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'

// With AUDIT_LOG_DISABLE_POSTGRES, audit entries go only to the log.

let auth: TestAuth
let person: GivenPerson

beforeAll(async () => {
  auth = await startTestAuth({ ...withoutAutoconfirm, auditLog: { disablePostgres: true } })
  person = await givenPerson(auth)
})
afterAll(() => auth.close())

const lines = () => auth.log.filter(({ message }) => message === 'audit_event')
const actions = () =>
  lines().map(({ fields }) => (fields['auth_audit_event'] as { action: string }).action)

it('stores no entries, and performs the acts', async () => {
  const token = await auth.given.serviceToken()

  const { body } = await auth.get('/admin/audit', { token })

  expect(await auth.rows('select 1 from auth.audit_entries')).toEqual([])
  expect(body).toEqual([])
  expect(person.accessToken).toEqual(expect.any(String))
})

it('writes as many lines as with entries in the database', async () => {
  const beside = await startTestAuth(withoutAutoconfirm)
  await givenPerson(beside)
  const there = beside.log.filter(({ message }) => message === 'audit_event')
  const stored = await beside.rows('select 1 from auth.audit_entries')
  await beside.close()

  expect(there).toHaveLength(stored.length)
  expect(actions()).toEqual(
    there.map(({ fields }) => (fields['auth_audit_event'] as { action: string }).action),
  )
  expect(new Set(actions()).size).toBeGreaterThan(6)
})

it('writes actor, address and request, but no address or name of a user (rule 10)', () => {
  const login = lines().find(
    ({ fields }) => (fields['auth_audit_event'] as { action: string }).action === 'login',
  )

  expect(login).toEqual({
    level: 'info',
    message: 'audit_event',
    fields: {
      auth_audit_event: {
        audit_log_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        created_at: auth.clock.now().toISOString(),
        action: 'login',
        log_type: 'account',
        actor_id: person.user.id,
        traits: { provider: 'email' },
        ip_address: person.ip,
        request_id: expect.any(String),
        user_agent: person.userAgent,
      },
    },
  })
  const { email, newEmail, phone, name } = person
  for (const word of [email, newEmail, phone, name]) {
    expect(JSON.stringify(lines())).not.toContain(word)
  }
})

it('deletes and erases users', async () => {
  const other = await givenPerson(auth)
  await auth.auth.admin.eraseUser(person.user.id)
  await auth.auth.admin.deleteUser(other.user.id)

  const [erased, deleted] = lines()
    .slice(-2)
    .map(({ fields }) => JSON.stringify(fields))

  expect(erased).toContain('"actor_username":"host","traits":{"user_id"')
  for (const word of wordsOf(person)) expect(erased).not.toContain(word)
  expect(deleted).toContain(other.user.id)
  expect(deleted).not.toContain(other.email)
})
