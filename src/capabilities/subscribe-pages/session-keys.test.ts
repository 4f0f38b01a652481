import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  basicHeader,
  type PagesAdmin,
  startTestPages,
  type TestPages,
} from '../../../test/support/pages.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { testPassword } from '../../../test/support/test-auth.ts'

let pages: TestPages
let maria: PagesAdmin

beforeAll(async () => {
  pages = await startTestPages()
})
afterAll(() => pages.close())
beforeEach(async () => {
  maria = await pages.admin()
})

const noSession = { message: 'No valid session key was provided as basic auth password.' }
const notAuthorized = { message: 'Not authorized' }

/** Returns the status of a list request with a key. */
const tryKey = async (key: string) => (await pages.ask('GET', '/subscribe-pages', { key })).status
const logIn = (body: unknown) => pages.ask('POST', '/sessions', { body })

describe('a log-in', () => {
  it('returns a key that is valid for an hour, however it is used', async () => {
    const { status, body } = await pages.logIn(maria.user.email ?? '')

    expect(status).toBe(201)
    const expiresAt = new Date(pages.auth.clock.now().getTime() + 3_600_000)
    expect(body).toEqual({
      id: expect.any(Number),
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      expiry_date: `${expiresAt.toISOString().slice(0, 19)}+00:00`,
    })
    pages.auth.clock.advance(3_599)
    expect(await tryKey(body.key)).toBe(200)
    pages.auth.clock.advance(1)
    expect(await tryKey(body.key)).toBe(403)
  })

  it('does not change earlier keys', async () => {
    const { body } = await pages.logIn(maria.user.email ?? '')

    expect([await tryKey(maria.key), await tryKey(body.key)]).toEqual([200, 200])
  })

  it('stores the hash of a key, not the key', async () => {
    const stored = await pages.auth.rows(
      'select to_jsonb(k) as row from auth.subscribe_page_keys k',
    )

    expect(JSON.stringify(stored)).not.toContain(maria.key)
    expect(JSON.stringify(stored)).toMatch(/"key_hash": ?"[0-9a-f]{64}"/)
  })

  it('accepts the name in camel case, and a phone number', async () => {
    const phone = '+15550100'
    await pages.auth.auth.admin.createUser({
      phone,
      phoneConfirm: true,
      password: testPassword,
      role: 'service_role',
    })

    const camel = await logIn({ loginName: maria.user.email, password: testPassword })
    const byPhone = await logIn({ login_name: phone, password: testPassword })

    expect([camel.status, byPhone.status]).toEqual([201, 201])
    const me = await pages.ask('GET', '/sessions/me', { key: byPhone.body.key })
    expect(me.body).toMatchObject({ login_name: '15550100', email: '', super_user: true })
  })

  it.each<[string, unknown, number, object]>([
    ['without anything', undefined, 422, both()],
    ['with an empty object', {}, 422, both()],
    [
      'with null',
      'null',
      400,
      { message: 'Invalid request data: the body must be an object that can be stored.' },
    ],
    ['with blank texts', { login_name: ' ', password: '\t' }, 422, both()],
    ['without a password', { login_name: 'a@b.test' }, 422, violations('password')],
    ['without a name', { password: 'x' }, 422, violations('loginName')],
    [
      'with a number',
      { login_name: 1, password: 'x' },
      400,
      { message: 'Invalid request data: login_name has to be a text.' },
    ],
    [
      'with null for a password',
      { login_name: 'a@b.test', password: null },
      400,
      { message: 'Invalid request data: password has to be a text.' },
    ],
    ['with broken JSON', '{"login_name":', 400, { message: 'Invalid JSON: Syntax error' }],
  ])('is refused %s', async (_, body, status, answer) => {
    const refused = await pages.ask('POST', '/sessions', { body })

    expect([refused.status, refused.body]).toEqual([status, answer])
  })

  it('is rejected alike for all defects of the account', async () => {
    const { auth } = pages.auth
    const person = await pages.auth.given.user()
    const banned = await pages.operator()
    await auth.admin.banUser(banned.id)
    const unconfirmed = { email: 'unconfirmed@example.test', password: testPassword }
    await auth.admin.createUser({ ...unconfirmed, role: 'supabase_admin' })
    const tries = [
      [maria.user.email, 'wrong password'],
      ['nobody@example.test', testPassword],
      ['maria', testPassword],
      [person.email, testPassword],
      [banned.email, testPassword],
      [unconfirmed.email, testPassword],
    ]

    for (const [login_name, password] of tries) {
      const { status, body } = await logIn({ login_name, password })
      expect([login_name, status, body]).toEqual([login_name, 401, notAuthorized])
    }
  })

  it('opens no session for a user without access', async () => {
    const person = await pages.auth.given.user()

    await pages.logIn(person.email ?? '')

    const sessions = await pages.auth.rows('select 1 from auth.sessions where user_id = $1', [
      person.id,
    ])
    const entries = await pages.auth.rows<{ traits: object }>(
      "select traits from auth.audit_entries where user_id = $1 and traits ? 'reason'",
      [person.id],
    )
    expect(sessions).toEqual([])
    expect(entries).toMatchObject([{ traits: { reason: 'not_admin' } }])
  })
})

function both() {
  return {
    message: 'Validation failed',
    errors: {
      loginName: ['This value should not be blank.'],
      password: ['This value should not be blank.'],
    },
  }
}

function violations(name: string) {
  return { message: 'Validation failed', errors: { [name]: ['This value should not be blank.'] } }
}

describe('a key', () => {
  it('is read from the header, and from HTTP Basic with any user name', async () => {
    const { key } = maria
    const ways: Record<string, string>[] = [
      { 'php-auth-pw': key },
      { 'PHP-Auth-PW': key },
      { authorization: basicHeader(key) },
      { authorization: basicHeader(key, '') },
      { authorization: basicHeader(key, 'x').replace('Basic', 'basic') },
      { 'php-auth-pw': key, authorization: basicHeader(key) },
      { 'php-auth-pw': '', authorization: basicHeader(key) },
      { 'php-auth-pw': '0', authorization: basicHeader(key) },
    ]

    for (const headers of ways) {
      const { status } = await pages.ask('GET', '/subscribe-pages', { headers })
      expect([headers, status]).toEqual([headers, 200])
    }
  })

  it('is rejected beside another credential, for reading too, even if one of them is valid', async () => {
    const { key } = maria
    const { id } = await pages.page(key)
    const other = 'f'.repeat(32)
    const token = await pages.auth.given.serviceToken()
    const ways: Record<string, string>[] = [
      { 'php-auth-pw': key, authorization: basicHeader(other) },
      { 'php-auth-pw': other, authorization: basicHeader(key) },
      { 'php-auth-pw': key, authorization: `Bearer ${token}` },
    ]

    for (const headers of ways) {
      for (const path of ['/subscribe-pages', `/subscribe-pages/${id}`]) {
        const { status, body } = await pages.ask('GET', path, { headers })
        expect([status, body]).toEqual([403, noSession])
      }
    }
  })

  it.each([
    '',
    '0',
    'f'.repeat(32),
    'F'.repeat(32),
    'f'.repeat(31),
    'f'.repeat(33),
    `${'f'.repeat(32)}, ${'f'.repeat(32)}`,
    "' or 1=1 --",
    'x'.repeat(8000),
  ])('%j gives no access, and does not prevent reading', async (key) => {
    const { id } = await pages.page(maria.key)

    const listed = await pages.ask('GET', '/subscribe-pages', { key })
    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { key })

    expect([listed.status, listed.body]).toEqual([403, noSession])
    expect([read.status, read.body.owner]).toEqual([200, { id: expect.any(Number) }])
  })

  it('that has expired reads an active page without privileges', async () => {
    const { id } = await pages.page(maria.key)
    const inactive = await pages.page(maria.key, { active: false })
    pages.auth.clock.advance(3_600)

    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })
    const hidden = await pages.ask('GET', `/subscribe-pages/${inactive.id}`, { key: maria.key })

    expect([read.status, read.body.owner]).toEqual([200, { id: expect.any(Number) }])
    expect([hidden.status, await tryKey(maria.key)]).toEqual([404, 403])
  })

  it('identifies its user, by the number that owns pages', async () => {
    const me = await pages.ask('GET', '/sessions/me', { key: maria.key })
    const again = await pages.ask('GET', '/sessions/me', { basic: maria.key })
    const { owner } = await pages.page(maria.key)

    expect(me.status).toBe(200)
    expect(me.body).toEqual(owner)
    expect(again.body).toEqual(owner)
  })

  it('is no access token, and an access token is no key', async () => {
    const { body } = await pages.auth.post('/token?grant_type=password', {
      email: maria.user.email,
      password: testPassword,
    })
    const asToken = await pages.auth.get('/user', { token: maria.key })
    const asKey = await tryKey(body.access_token)

    expect([asToken.status, asKey]).toEqual([403, 403])
  })
})

describe('a key is invalid at once', () => {
  const ends: Record<string, () => Promise<unknown>> = {
    'when its holder is banned': () => pages.auth.auth.admin.banUser(maria.user.id),
    'when its holder is deleted': () => pages.auth.auth.admin.deleteUser(maria.user.id),
    'when its holder is deleted softly': () =>
      pages.auth.auth.admin.deleteUser(maria.user.id, { soft: true }),
    'when its holder is no operator any more': () =>
      pages.auth.auth.admin.updateUser(maria.user.id, { role: 'authenticated' }),
    'when its holder gets another password': () =>
      pages.auth.auth.admin.updateUser(maria.user.id, { password: 'another horse' }),
    'when its holder is signed out everywhere': async () => {
      const { body } = await pages.auth.post('/token?grant_type=password', {
        email: maria.user.email,
        password: testPassword,
      })
      return pages.auth.post('/logout', undefined, { token: body.access_token })
    },
    'when its holder enrolls a second factor': () => enrollFactor(),
    'when it is logged out': () =>
      pages.ask('DELETE', `/sessions/${maria.keyId}`, { key: maria.key }),
  }

  const enrollFactor = async () => {
    const factors = secondFactors(pages.auth)
    const { accessToken } = await factors.signIn(maria.user.email)
    return factors.prove(accessToken, await factors.enrolledApp(accessToken))
  }

  it.each(Object.keys(ends))('%s', async (name) => {
    expect(await tryKey(maria.key)).toBe(200)

    await ends[name]?.()

    expect(await tryKey(maria.key)).toBe(403)
  })

  it('for all endpoints that require it', async () => {
    const { id } = await pages.page(maria.key, { active: false })
    await pages.auth.auth.admin.banUser(maria.user.id)
    const body = { title: 'Late' }

    const answers = await Promise.all([
      pages.ask('GET', '/sessions/me', { key: maria.key }),
      pages.ask('POST', '/subscribe-pages', { key: maria.key, body }),
      pages.ask('PUT', `/subscribe-pages/${id}`, { key: maria.key, body }),
      pages.ask('DELETE', `/subscribe-pages/${id}`, { key: maria.key }),
      pages.ask('DELETE', `/sessions/${maria.keyId}`, { key: maria.key }),
    ])
    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { key: maria.key })

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(read.status).toBe(404)
  })
})

describe('logging out', () => {
  it('ends the session of the key only', async () => {
    const { body: other } = await pages.logIn(maria.user.email ?? '')
    const countSessions = async () =>
      (await pages.auth.rows('select 1 from auth.sessions where user_id = $1', [maria.user.id]))
        .length
    const before = await countSessions()

    const { status, text } = await pages.ask('DELETE', `/sessions/${maria.keyId}`, {
      key: other.key,
    })

    expect([status, text]).toEqual([204, ''])
    expect([await tryKey(maria.key), await tryKey(other.key)]).toEqual([403, 200])
    expect(await countSessions()).toBe(before - 1)
    const again = await pages.ask('DELETE', `/sessions/${maria.keyId}`, { key: other.key })
    expect([again.status, again.body]).toEqual([404, { message: 'Token not found.' }])
  })

  it('is rejected for the session of another user, for an unknown one, and without a session', async () => {
    const other = await pages.admin()
    const askFor = (id: unknown, key?: string) => pages.ask('DELETE', `/sessions/${id}`, { key })

    const [others, ofUnknown, without] = await Promise.all([
      askFor(other.keyId, maria.key),
      askFor(99_999_999_999, maria.key),
      askFor(maria.keyId),
    ])

    expect([others.status, others.body]).toEqual([
      403,
      { message: 'You do not have access to this session.' },
    ])
    expect([ofUnknown.status, ofUnknown.body]).toEqual([404, { message: 'Token not found.' }])
    expect([without.status, without.body]).toEqual([403, noSession])
    expect(await tryKey(other.key)).toBe(200)
  })
})

it('deletes expired keys with their sessions at the next log-in', async () => {
  pages.auth.clock.advance(3_600)

  await pages.admin()

  const keys = await pages.auth.rows(
    `select k.expires_at from auth.subscribe_page_keys k where session_id in (
      select id from auth.sessions where user_id = $1)`,
    [maria.user.id],
  )
  const sessions = await pages.auth.rows('select 1 from auth.sessions where user_id = $1', [
    maria.user.id,
  ])
  expect([keys, sessions]).toEqual([[], []])
})

describe('an access token', () => {
  it('of an operator has the access of a key', async () => {
    const { body } = await pages.auth.post('/token?grant_type=password', {
      email: maria.user.email,
      password: testPassword,
    })
    const token: string = body.access_token

    const created = await pages.ask('POST', '/subscribe-pages', { token, body: { title: 'Mine' } })
    const me = await pages.ask('GET', '/sessions/me', { token })

    expect([created.status, me.status]).toEqual([201, 200])
    expect(created.body.owner).toEqual(me.body)
  })

  it('of another user has the access of an unauthenticated client', async () => {
    const { accessToken: token } = await pages.auth.given.session()
    const { id } = await pages.page(maria.key)

    const listed = await pages.ask('GET', '/subscribe-pages', { token })
    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { token })

    expect([listed.status, listed.body]).toEqual([403, noSession])
    expect([read.status, read.body.owner]).toEqual([200, { id: expect.any(Number) }])
  })

  it('without a user lists, reads, changes and deletes, but creates nothing', async () => {
    const token = await pages.auth.given.serviceToken()
    const { id, owner } = await pages.page(maria.key, { active: false })

    const listed = await pages.ask('GET', '/subscribe-pages', { token })
    const read = await pages.ask('GET', `/subscribe-pages/${id}`, { token })
    const updated = await pages.ask('PUT', `/subscribe-pages/${id}`, {
      token,
      body: { title: 'By a script' },
    })
    const created = await pages.ask('POST', '/subscribe-pages', { token, body: { title: 'Mine' } })
    const me = await pages.ask('GET', '/sessions/me', { token })
    const logOut = await pages.ask('DELETE', `/sessions/${maria.keyId}`, { token })
    const deleted = await pages.ask('DELETE', `/subscribe-pages/${id}`, { token })

    expect([listed.status, read.status, updated.status]).toEqual([200, 200, 200])
    expect(updated.body).toMatchObject({ title: 'By a script', owner })
    expect([created.status, created.body]).toEqual([
      403,
      { message: 'You are not allowed to create subscribe pages.' },
    ])
    expect([me.status, logOut.status, deleted.status]).toEqual([403, 403, 204])
  })
})

describe('a user with a second factor', () => {
  it('cannot log in with a correct password, and has access with an aal2 session', async () => {
    const factors = secondFactors(pages.auth)
    const { accessToken: token, user } = await factors.aal2Session()
    await pages.auth.auth.admin.updateUser(user.id, { role: 'supabase_admin' })
    const weak = await pages.auth.post('/token?grant_type=password', {
      email: user.email,
      password: testPassword,
    })

    const logIn = await pages.logIn(user.email ?? '')
    const strong = await pages.ask('GET', '/subscribe-pages', { token })
    const refused = await pages.ask('GET', '/subscribe-pages', { token: weak.body.access_token })

    expect([logIn.status, logIn.body]).toEqual([401, notAuthorized])
    expect([strong.status, refused.status]).toEqual([200, 403])
  })
})
