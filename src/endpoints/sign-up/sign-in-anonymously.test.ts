import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { claimsIn } from '../../../test/support/second-factors.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

const switchedOn: AuthConfig = { anonymousUsers: { enabled: true } }

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth(switchedOn)
})
afterAll(() => auth.close())

const usersOf = (on: TestAuth) => on.rows('select id from auth.users')

describe('POST /signup without email and phone', () => {
  it('returns a session of a user with only metadata', async () => {
    const now = auth.clock.now().toISOString()

    const { status, body } = await auth.post('/signup', { data: { cart: 7, empty: null } })

    expect(status).toBe(200)
    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(body.user).toEqual({
      id: expect.any(String),
      aud: 'authenticated',
      role: 'authenticated',
      email: '',
      phone: '',
      app_metadata: {},
      user_metadata: { cart: 7 },
      identities: [],
      last_sign_in_at: now,
      created_at: now,
      updated_at: now,
      is_anonymous: true,
    })
    expect(claimsIn(body.access_token)).toMatchObject({
      sub: body.user.id,
      is_anonymous: true,
      aal: 'aal1',
      amr: [{ method: 'anonymous' }],
      email: '',
      phone: '',
      app_metadata: {},
      user_metadata: { cart: 7 },
    })
    expect((await auth.get('/user', { token: body.access_token })).body).toEqual(body.user)
  })

  it('creates another user each time, whose session is renewed like any other', async () => {
    const first = await auth.post('/signup', {})
    const { body: second } = await auth.post('/signup', {})

    const renewed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: second.refresh_token,
    })

    expect(second.user.id).not.toBe(first.body.user.id)
    expect(renewed.body.user).toMatchObject({ id: second.user.id, is_anonymous: true })
    expect(claimsIn(renewed.body.access_token)).toMatchObject({ is_anonymous: true })
  })

  it.each([
    ['a password', { password: testPassword }],
    ['a password that is weak', { password: 'x' }],
    ['addresses that are empty', { email: '', phone: null }],
    ['a channel and a code challenge', { channel: 'pigeon', code_challenge: 'x' }],
  ])('passes over %s', async (_case, body) => {
    const { status, body: answer } = await auth.post('/signup', body)

    const [stored] = await auth.rows('select password_hash from auth.users where id = $1', [
      answer.user.id,
    ])
    expect([status, stored]).toEqual([200, { password_hash: null }])
  })

  it('records no entry of the audit log', async () => {
    const { body } = await auth.post('/signup', {})

    const entries = await auth.rows(
      'select 1 from auth.audit_entries where $1 in (actor_id, user_id)',
      [body.user.id],
    )
    expect(entries).toEqual([])
  })

  it.each<[string, AuthConfig, [number, string]]>([
    ['anonymous sign-ins are disabled', {}, [422, 'anonymous_provider_disabled']],
    [
      'neither that nor sign-up is on',
      { signUp: { disabled: true } },
      [422, 'anonymous_provider_disabled'],
    ],
    [
      'sign-up is disabled',
      { ...switchedOn, signUp: { disabled: true } },
      [422, 'signup_disabled'],
    ],
  ])('is rejected where %s, and in code', async (_case, config, rejection) => {
    const strict = await startTestAuth(config)

    const { status, body } = await strict.post('/signup', { data: { x: 1 } })
    const inCode = strict.auth.api.signInAnonymously()

    await expect(inCode).rejects.toMatchObject({ code: rejection[1] })
    expect([status, body.error_code]).toEqual(rejection)
    expect(await usersOf(strict)).toEqual([])
    await strict.close()
  })

  it('is rejected with metadata that is too large or invalid', async () => {
    const before = await usersOf(auth)

    const large = await auth.post('/signup', { data: { x: 'x'.repeat(20_000) } })
    const none = await auth.post('/signup', { data: 'x' })

    expect([large.status, large.body.error_code]).toEqual([422, 'validation_failed'])
    expect([none.status, none.body.error_code]).toEqual([400, 'bad_json'])
    expect(await usersOf(auth)).toEqual(before)
  })

  it('is rejected for an unknown audience', async () => {
    const there = { headers: { 'x-jwt-aud': 'nowhere' } }
    const before = await usersOf(auth)

    const { status, body } = await auth.post('/signup', {}, there)

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(await usersOf(auth)).toEqual(before)
  })

  it('creates a user of an audience that an operator has introduced', async () => {
    await auth.auth.admin.createUser({ email: 'kiosk@example.test', audience: 'kiosk' })

    const { body } = await auth.post('/signup', {}, { headers: { 'x-jwt-aud': 'kiosk' } })

    expect(body.user.aud).toBe('kiosk')
    expect(claimsIn(body.access_token)).toMatchObject({ aud: 'kiosk' })
  })
})

describe('the limit of anonymous sign-ins', () => {
  const ada = { ip: '203.0.113.10' }
  const eve = { ip: '198.51.100.66' }
  const times = async (count: number, ask: () => Promise<{ status: number }>) => {
    const statuses: number[] = []
    for (let time = 0; time < count; time += 1) statuses.push((await ask()).status)
    return statuses
  }

  it('is 30 an hour for a client, and does not count sign-ups', async () => {
    const limited = await startTestAuth({ ...switchedOn, rateLimits: {} })
    const ask = () => limited.post('/signup', {}, eve)

    const first = await times(31, ask)
    const others = await limited.post('/signup', {}, ada)
    const email = 'eve@example.test'
    const signUp = await limited.post('/signup', { email, password: testPassword }, eve)
    limited.clock.advance(120)
    const later = await times(2, ask)

    expect(first).toEqual([...Array(30).fill(200), 429])
    expect([others.status, signUp.status]).toEqual([200, 200])
    expect(later).toEqual([200, 429])
    expect(await usersOf(limited)).toHaveLength(33)
    await limited.close()
  })

  it('is configured, at once and in an hour', async () => {
    const limited = await startTestAuth({ ...switchedOn, rateLimits: { anonymousUsers: 2 } })
    const ask = () => limited.post('/signup', {}, eve)

    const first = await times(3, ask)
    limited.clock.advance(3600)
    const later = await times(3, ask)

    expect([first, later]).toEqual([
      [200, 200, 429],
      [200, 200, 429],
    ])
    await limited.close()
  })

  it('is separate from that of sign-ups, and each request is counted against one of them', async () => {
    const limited = await startTestAuth({ ...switchedOn, rateLimits: { anonymousUsers: 2 } })
    const signUp = () => limited.post('/signup', { email: 'eve', password: testPassword }, eve)

    const signUps = await times(31, signUp)
    const anonymous = await times(1, () => limited.post('/signup', {}, eve))
    await limited.close()

    expect([signUps, anonymous]).toEqual([[...Array(30).fill(400), 429], [200]])
  })
})

describe('auth.api.signInAnonymously', () => {
  it('returns a user and a session', async () => {
    const { user, session } = await auth.auth.api.signInAnonymously({ data: { cart: 7 } })

    const headers = { authorization: `Bearer ${session.accessToken}` }
    const viewer = await auth.auth.requireUser({ headers })
    expect(user).toMatchObject({
      isAnonymous: true,
      email: null,
      phone: null,
      appMetadata: {},
      userMetadata: { cart: 7 },
      identities: [],
    })
    expect(viewer.user).toMatchObject({ id: user.id, isAnonymous: true })
  })

  it('shows the created users to operators', async () => {
    const { user } = await auth.auth.api.signInAnonymously()

    const token = await auth.given.serviceToken()
    const { body } = await auth.get('/admin/users', { token })
    const { users } = await auth.auth.admin.listUsers()

    const listed = body.users.find(({ id }: { id: string }) => id === user.id)
    expect(listed).toMatchObject({ is_anonymous: true, email: '', identities: [] })
    expect(users.find(({ id }) => id === user.id)).toMatchObject({ isAnonymous: true })
  })
})
