import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `sign-in-${++made}@example.test`

const signIn = (body: object, on = auth) => on.post('/token?grant_type=password', body)

const invalid = [400, 'invalid_credentials', 'Invalid login credentials']
const statusAndCode = ({ status, body }: Awaited<ReturnType<typeof signIn>>) => [
  status,
  body.error_code,
  body.msg,
]

describe('the right password', () => {
  it('opens a session that is stored with its client address', async () => {
    const user = await auth.given.user(newEmail())
    auth.clock.advance(60)
    const now = auth.clock.now()

    const { status, body } = await auth.post(
      '/token?grant_type=password',
      { email: user.email, password: testPassword },
      { ip: '::ffff:198.51.100.4', headers: { 'user-agent': 'a browser' } },
    )
    const claims = await auth.auth.verifyToken(body.access_token)
    const [session] = await auth.rows(
      `select *, host(ip) as host from auth.sessions where id = $1`,
      [claims.session_id],
    )

    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'bearer',
      expires_in: 3600,
      expires_at: now.getTime() / 1000 + 3600,
      refresh_token: expect.stringMatching(/^[\w-]{51}$/),
      user: expect.objectContaining({ id: user.id, last_sign_in_at: now.toISOString() }),
      weak_password: null,
    })
    expect(session).toMatchObject({
      user_id: user.id,
      aal: 'aal1',
      refresh_token_counter: 0,
      user_agent: 'a browser',
      host: '198.51.100.4',
      revoked_at: null,
      not_after: null,
    })
  })

  it('issues the claims of the wire, and no others', async () => {
    const user = await auth.given.user(newEmail())

    const { body } = await signIn({ email: user.email, password: testPassword })
    const claims = await auth.auth.verifyToken(body.access_token)

    const second = auth.clock.now().getTime() / 1000
    expect(claims).toEqual({
      sub: user.id,
      aud: 'authenticated',
      role: 'authenticated',
      email: user.email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: { email_verified: true },
      aal: 'aal1',
      amr: [{ method: 'password', timestamp: second }],
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      is_anonymous: false,
      exp: second + 3600,
      iat: second,
    })
  })

  it('is accepted for the address in any letter case, and for a phone in any notation', async () => {
    const email = newEmail()
    await auth.auth.admin.createUser({
      email,
      phone: '4915112345670',
      password: testPassword,
      emailConfirm: true,
      phoneConfirm: true,
    })

    const answers = [
      await signIn({ email: email.toUpperCase(), password: testPassword }),
      await signIn({ phone: '+49 151 1234 5670', password: testPassword }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
  })

  it('is reported as weak where the present policy rejects it, and signs in', async () => {
    const strict = await startTestAuth({
      passwords: { minLength: 20, requiredCharacters: ['0123456789'] },
    })
    const user = await strict.given.user()

    const { status, body } = await signIn({ email: user.email, password: testPassword }, strict)
    await strict.close()

    expect(status).toBe(200)
    expect(body.weak_password).toEqual({
      message: expect.stringContaining('at least 20'),
      reasons: ['length', 'characters'],
    })
  })

  it('of a user who was imported with a hash', async () => {
    const { passwords } = await auth.deps()
    const passwordHash = await passwords.hash('an imported password')
    const email = newEmail()
    await auth.auth.admin.createUser({ email, emailConfirm: true, passwordHash })

    const answers = [
      await signIn({ email, password: 'an imported password' }),
      await signIn({ email, password: testPassword }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 400])
  })
})

describe('one response to all requests without the right password', () => {
  it.each([
    ['a wrong password', {}, 'wrong'],
    ['an empty password', {}, ''],
    ['a wrong password of a banned user', { banDuration: '1h' }, 'wrong'],
    ['a wrong password of an unconfirmed user', { emailConfirm: false }, 'wrong'],
    ['any password of a user without one', { password: undefined }, 'the password of nobody'],
  ])('%s', async (_case, changes, password) => {
    const email = newEmail()
    const given = { email, password: testPassword, emailConfirm: true, ...changes }
    await auth.auth.admin.createUser(given)

    expect(statusAndCode(await signIn({ email, password }))).toEqual(invalid)
  })

  it('an unknown, malformed or foreign address', async () => {
    const foreign = newEmail()
    await auth.auth.admin.createUser({
      email: foreign,
      password: testPassword,
      emailConfirm: true,
      audience: 'elsewhere',
    })

    for (const email of ['nobody@example.test', 'no address', foreign, "' or true --"]) {
      expect(statusAndCode(await signIn({ email, password: testPassword }))).toEqual(invalid)
    }
    expect(statusAndCode(await signIn({ phone: 'no number', password: testPassword }))).toEqual(
      invalid,
    )
  })

  it('a user of single sign-on, and one who was deleted', async () => {
    const [sso, deleted] = [await auth.given.user(newEmail()), await auth.given.user(newEmail())]
    await auth.rows('update auth.users set is_sso_user = true where id = $1', [sso.id])
    await auth.rows('update auth.users set deleted_at = now() where id = $1', [deleted.id])

    for (const { email } of [sso, deleted]) {
      expect(statusAndCode(await signIn({ email, password: testPassword }))).toEqual(invalid)
    }
  })
})

describe('a user with the password learns', () => {
  it('that the user is banned, before whether the address is confirmed', async () => {
    const email = newEmail()
    await auth.auth.admin.createUser({ email, password: testPassword, banDuration: '1h' })

    const during = await signIn({ email, password: testPassword })
    auth.clock.advance(3600)
    const after = await signIn({ email, password: testPassword })

    expect(statusAndCode(during)).toEqual([400, 'user_banned', 'User is banned'])
    expect(statusAndCode(after)).toEqual([400, 'email_not_confirmed', 'Email not confirmed'])
  })

  it('that this address is not confirmed, even if another one is', async () => {
    const [email, phone] = [newEmail(), '4915112345671']
    await auth.auth.admin.createUser({ email, phone, password: testPassword, emailConfirm: true })

    const answers = [
      await signIn({ email, password: testPassword }),
      await signIn({ phone, password: testPassword }),
    ]

    expect(answers[0]?.status).toBe(200)
    expect(statusAndCode(answers[1] as never)).toEqual([
      400,
      'phone_not_confirmed',
      'Phone not confirmed',
    ])
  })
})

describe('checks before any look-up', () => {
  it.each([
    [{ email: 'a@x.test', phone: '491', password: 'x' }, /^Only an email address or phone number/],
    [{ password: 'x' }, /missing email or phone/],
    [{ email: '', phone: null }, /missing email or phone/],
  ])('%j', async (body, message) => {
    const answer = await signIn(body)

    expect([answer.status, answer.body.error_code]).toEqual([400, 'validation_failed'])
    expect(answer.body.msg).toMatch(message)
  })

  it('email and phone may be disabled separately', async () => {
    const closed = await startTestAuth({ email: { enabled: false }, phone: { enabled: false } })

    const answers = [
      await signIn({ email: 'a@x.test', password: 'x' }, closed),
      await signIn({ phone: '49151', password: 'x' }, closed),
    ]
    await closed.close()

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'email_provider_disabled', 'Email logins are disabled'],
      [422, 'phone_provider_disabled', 'Phone logins are disabled'],
    ])
  })

  it.each(['', '?grant_type=', '?grant_type=implicit', '?grant_type=Password'])(
    'an unknown grant: %s',
    async (query) => {
      const answer = await auth.post(`/token${query}`, { email: 'a@x.test', password: 'x' })

      expect([answer.status, answer.body.error_code]).toEqual([400, 'invalid_credentials'])
      expect(answer.body.msg).toContain('unsupported_grant_type')
    },
  )
})

it('opens no session for a password that was changed during its comparison', async () => {
  const user = await auth.given.user(newEmail())
  const deps = await auth.deps()
  const { verify } = deps.passwords
  const slow = async (hash: string | null, password: string) => {
    const isRight = await verify(hash, password)
    deps.passwords = { ...deps.passwords, verify }
    await auth.auth.admin.updateUser(user.id, { password: 'the new password' })
    return isRight
  }
  deps.passwords = { ...deps.passwords, verify: slow }

  const answer = await signIn({ email: user.email, password: testPassword })

  expect(statusAndCode(answer)).toEqual(invalid)
  expect(await auth.rows('select id from auth.sessions where user_id = $1', [user.id])).toEqual([])
})
