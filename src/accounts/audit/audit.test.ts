import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import { type AuditAction, auditActions } from './actions.ts'

let auth: TestAuth
let waiting: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ server: { requestIdHeader: 'x-trace' } })
  waiting = await startTestAuth({ ...withoutAutoconfirm, server: { requestIdHeader: 'x-trace' } })
})
afterAll(() => Promise.all([auth.close(), waiting.close()]))

interface Entry {
  id: string
  action: AuditAction
  actor_id: string | null
  actor_role: string | null
  user_id: string | null
  traits: Record<string, unknown> | null
  ip: string
  request_id: string
  created_at: string
}

let requests = 0
let made = 0
const newEmail = () => `audit-${++made}@example.test`

const names = new Map<number, string>(
  Object.entries(auditActions).map(([name, { number }]) => [number, name]),
)

interface Line {
  audit_log_id: string
  request_id: string
}

/** Returns the lines that a request wrote to the log of the process. */
const linesOf = ({ log }: TestAuth, requestId: string): Line[] =>
  log
    .filter(({ message }) => message === 'audit_event')
    .map(({ fields }) => fields['auth_audit_event'] as Line)
    .filter(({ request_id: id }) => id === requestId)
    .toSorted((a, b) => (a.audit_log_id < b.audit_log_id ? -1 : 1))

/** Returns the expected line of an entry. */
const lineOf = (entry: Entry): Line =>
  expect.objectContaining({
    audit_log_id: entry.id,
    action: entry.action,
    request_id: entry.request_id,
    actor_id: entry.actor_id ?? '00000000-0000-0000-0000-000000000000',
    ip_address: entry.ip,
    traits: { ...(entry.user_id && { user_id: entry.user_id }), ...entry.traits },
  })

/** Sends a request, and returns the entries that it wrote. */
async function entriesOf(
  method: string,
  path: string,
  body?: object,
  { token, on = auth }: { token?: string; on?: TestAuth } = {},
): Promise<{ status: number; body: Record<string, never>; entries: Entry[] }> {
  const requestId = `request-${++requests}`
  const answer = await on.request(method, path, {
    body,
    token,
    ip: '198.51.100.4',
    headers: { 'x-trace': requestId },
  })
  const rows = await on.rows<Omit<Entry, 'action'> & { action: number }>(
    `select *, host(ip) as ip from auth.audit_entries where request_id = $1 order by action desc`,
    [requestId],
  )
  const entries = rows.map((row) => ({ ...row, action: names.get(row.action) as AuditAction }))
  for (const { ip, created_at: createdAt } of entries) {
    expect(ip).toBe('198.51.100.4')
    expect(new Date(createdAt)).toEqual(on.clock.now())
  }
  expect(linesOf(on, requestId)).toEqual(
    entries.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(lineOf),
  )
  return { status: answer.status, body: answer.body, entries }
}

const entry = (action: AuditAction, rest: Partial<Entry>) =>
  expect.objectContaining({
    actor_id: null,
    actor_role: null,
    user_id: null,
    traits: null,
    action,
    ...rest,
  })

describe('actions of users are recorded with actor, address and request:', () => {
  it('a sign-up that signs in', async () => {
    const body = { email: newEmail(), password: testPassword }

    const { body: session, entries } = await entriesOf('POST', '/signup', body)

    const { id } = session['user'] as unknown as { id: string }
    expect(entries).toEqual([
      entry('user_signedup', { actor_id: id, traits: { provider: 'email' } }),
      entry('login', { actor_id: id, traits: { provider: 'email' } }),
    ])
  })

  it('a sign-up that waits for confirmation, and its repetition', async () => {
    const body = { email: newEmail(), password: testPassword }

    const first = await entriesOf('POST', '/signup', body, { on: waiting })
    const second = await entriesOf('POST', '/signup', body, { on: waiting })

    const requested = entry('user_confirmation_requested', {
      actor_id: first.body['id'] ?? '',
      traits: { provider: 'email' },
    })
    expect([first.entries, second.entries]).toEqual([[requested], [requested]])
  })

  it('a sign-up with an address that another user proved', async () => {
    const user = await waiting.given.user()
    const body = { email: user.email, password: testPassword }

    const { entries } = await entriesOf('POST', '/signup', body, { on: waiting })

    expect(entries).toEqual([
      entry('user_repeated_signup', { user_id: user.id, traits: { provider: 'email' } }),
    ])
  })

  it('a sign-in', async () => {
    const user = await auth.given.user()

    const { entries } = await entriesOf('POST', '/token?grant_type=password', {
      email: user.email,
      password: testPassword,
    })

    expect(entries).toEqual([entry('login', { actor_id: user.id, traits: { provider: 'email' } })])
  })

  it.each([
    ['invalid_credentials', 'a wrong password', {}],
    ['user_banned', testPassword, { banDuration: '1h' }],
    ['email_not_confirmed', testPassword, { emailConfirm: false }],
  ])('a failed sign-in, because of %s', async (reason, password, changes) => {
    const email = newEmail()
    const { id } = await auth.auth.admin.createUser({
      email,
      password: testPassword,
      emailConfirm: true,
      ...changes,
    })

    const { status, entries } = await entriesOf('POST', '/token?grant_type=password', {
      email,
      password,
    })

    expect(status).toBe(400)
    expect(entries).toEqual([
      entry('failed_sign_in', { user_id: id, traits: { provider: 'email', reason } }),
    ])
  })

  it('a failed sign-in for an unknown address, without the address', async () => {
    const body = { email: 'nobody@example.test', password: testPassword }

    const { entries } = await entriesOf('POST', '/token?grant_type=password', body)

    expect(entries).toEqual([
      entry('failed_sign_in', { traits: { provider: 'email', reason: 'invalid_credentials' } }),
    ])
  })

  it('a refresh', async () => {
    const { user, refreshToken } = await auth.given.session()

    const { entries } = await entriesOf('POST', '/token?grant_type=refresh_token', {
      refresh_token: refreshToken,
    })

    expect(entries).toEqual([entry('token_refreshed', { actor_id: user.id })])
  })

  it.each(['global', 'local', 'others'])('a sign-out of scope %s', async (scope) => {
    const { user, accessToken: token } = await auth.given.session()
    const { email } = user
    await auth.post('/token?grant_type=password', { email, password: testPassword })

    const { entries } = await entriesOf('POST', `/logout?scope=${scope}`, undefined, { token })

    expect(entries).toEqual([entry('logout', { actor_id: user.id })])
  })

  it('a change of metadata, and one of the password', async () => {
    const { user, accessToken: token } = await auth.given.session()

    const data = await entriesOf('PUT', '/user', { data: { a: 1 } }, { token })
    const password = await entriesOf('PUT', '/user', { password: 'a new password' }, { token })

    expect(data.entries).toEqual([entry('user_modified', { actor_id: user.id })])
    expect(password.entries).toEqual([
      entry('user_updated_password', { actor_id: user.id }),
      entry('user_modified', { actor_id: user.id }),
    ])
  })
})

describe('actions of operators are recorded with their role:', () => {
  it('a new user, and a change', async () => {
    const token = await auth.given.serviceToken('svc_admin')

    const created = await entriesOf('POST', '/admin/users', { email: newEmail() }, { token })
    const id = created.body['id'] ?? ''
    const changed = await entriesOf('PUT', `/admin/users/${id}`, { role: 'staff' }, { token })

    const by = { actor_role: 'svc_admin', user_id: id }
    expect(created.entries).toEqual([
      entry('user_signedup', { ...by, traits: { provider: 'email' } }),
    ])
    expect(changed.entries).toEqual([entry('user_modified', by)])
  })
})

describe('no entry is recorded', () => {
  it('for a request that was rejected or changed no data', async () => {
    const { accessToken: token } = await auth.given.session()
    const service = await auth.given.serviceToken()
    const user = await auth.given.user()

    const refusals = [
      await entriesOf('PUT', '/user', { password: 'x' }, { token }),
      await entriesOf('PUT', '/user', { password: testPassword }, { token }),
      await entriesOf('POST', '/logout?scope=all', undefined, { token }),
      await entriesOf('POST', '/signup', { email: newEmail(), password: 'x' }),
      await entriesOf('POST', '/admin/users', { email: user.email }, { token: service }),
      await entriesOf(
        'PUT',
        `/admin/users/${user.id}`,
        { email: 'no address' },
        { token: service },
      ),
      await entriesOf('POST', '/token?grant_type=refresh_token', { refresh_token: 'x' }),
      await entriesOf('GET', '/user', undefined, { token }),
    ]

    expect(refusals.flatMap(({ entries }) => entries)).toEqual([])
  })
})

it('creates ids that sort by time', async () => {
  const test = await startTestAuth()
  for (let index = 0; index < 3; index += 1) {
    await test.given.user()
    test.clock.advance(1)
  }

  const rows = await test.rows<{ created_at: string }>(
    'select created_at from auth.audit_entries order by id',
  )
  await test.close()

  const times = rows.map(({ created_at: createdAt }) => createdAt)
  expect(times).toHaveLength(3)
  expect(times.toSorted()).toEqual(times)
})

it('an act over /admin with the token of a user names the user as its actor', async () => {
  const operator = await auth.given.session(newEmail())
  const subject = await auth.given.user(newEmail())
  await auth.auth.admin.updateUser(operator.user.id, { role: 'service_role' })
  const path = `/admin/users/${subject.id}`

  await auth.put(path, { user_metadata: { a: 1 } }, { token: operator.accessToken })
  await auth.put(path, { user_metadata: { a: 2 } }, { token: await auth.given.serviceToken() })
  const entries = await auth.rows(
    `select actor_id, actor_role from auth.audit_entries where user_id = $1 and action = $2
     order by actor_id nulls last`,
    [subject.id, auditActions.user_modified.number],
  )

  expect(entries).toEqual([
    { actor_id: operator.user.id, actor_role: 'service_role' },
    { actor_id: null, actor_role: 'service_role' },
  ])
})
