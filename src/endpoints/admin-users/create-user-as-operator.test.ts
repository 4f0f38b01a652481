import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth()
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `admin-${++made}@example.test`
const newPhone = () => `49152${String(++made).padStart(8, '0')}`

const create = (body: object, path = '/admin/users') => auth.post(path, body, { token })
const find = (id: string) => auth.get(`/admin/users/${id}`, { token })

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const signIn = (email: string, password: string) =>
  auth.post('/token?grant_type=password', { email, password })

describe('creating a user', () => {
  it('returns the whole record, and requires only an address', async () => {
    const email = newEmail()
    const now = auth.clock.now().toISOString()

    const { status, body } = await create({ email: email.toUpperCase() })

    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: {},
      identities: [
        expect.objectContaining({
          provider: 'email',
          email,
          id: body.id,
          identity_data: { sub: body.id, email, email_verified: false, phone_verified: false },
        }),
      ],
      created_at: now,
      updated_at: now,
      is_anonymous: false,
    })
    expect((await find(body.id)).body).toEqual(body)
  })

  it('accepts every field of an operator', async () => {
    const [email, phone] = [newEmail(), newPhone()]

    const { body } = await create({
      email,
      phone: `+${phone}`,
      password: testPassword,
      role: ' staff ',
      aud: 'elsewhere',
      email_confirm: true,
      phone_confirm: true,
      ban_duration: '1h30m',
      user_metadata: { name: 'Ada' },
      app_metadata: { plan: 'pro', provider: 'import' },
    })

    expect(body).toMatchObject({
      email,
      phone,
      role: 'staff',
      aud: 'elsewhere',
      email_confirmed_at: auth.clock.now().toISOString(),
      phone_confirmed_at: auth.clock.now().toISOString(),
      banned_until: new Date(auth.clock.now().getTime() + 5_400_000).toISOString(),
      user_metadata: { name: 'Ada', email_verified: true },
      app_metadata: { plan: 'pro', provider: 'import', providers: ['email', 'phone'] },
    })
    expect((await find(body.id)).body).toEqual(body)
  })

  it('uses the id of the path rather than that of the body', async () => {
    const [one, other] = [
      '6f1f7c1e-0b57-4a39-9c39-0d3f1f7c1e01',
      '6f1f7c1e-0b57-4a39-9c39-0d3f1f7c1e02',
    ]

    const byPath = await create(
      { email: newEmail(), id: other },
      `/admin/users/${one.toUpperCase()}`,
    )
    const byBody = await create({ email: newEmail(), id: other.toUpperCase() })

    expect([byPath.body.id, byBody.body.id]).toEqual([one, other])
  })

  it('does not apply the password policy', async () => {
    const email = newEmail()

    await create({ email, password: 'abc', email_confirm: true })

    expect((await signIn(email, 'abc')).status).toBe(200)
  })

  it.each([
    ['neither email nor phone', {}, [400, 'validation_failed', /without either an email or phone/]],
    ['a malformed email', { email: 'no address' }, [400, 'validation_failed', /^email: /]],
    [
      'a malformed phone',
      { phone: 'no number' },
      [400, 'validation_failed', /^Invalid phone number format \(E\.164 required\)$/],
    ],
    [
      'a password and a hash',
      { email: 'x@x.test', password: '', password_hash: '$argon2id$' },
      [400, 'validation_failed', /Only a password or a password hash/],
    ],
    [
      'a hash that cannot be checked',
      { email: 'x@x.test', password_hash: '$2b$10$canary' },
      [400, 'validation_failed', /^password_hash: [^$]*$/],
    ],
    [
      'a password of more than 1,024 bytes',
      { email: 'x@x.test', password: 'x'.repeat(1025) },
      [400, 'validation_failed', /^password: /],
    ],
    [
      'an id of another form',
      { email: 'x@x.test', id: 'ada' },
      [400, 'validation_failed', /^id: /],
    ],
    [
      'the nil id',
      { email: 'x@x.test', id: '00000000-0000-0000-0000-000000000000' },
      [400, 'validation_failed', /nil uuid/],
    ],
    [
      'a ban that is no duration',
      { email: 'x@x.test', ban_duration: 'forever' },
      [400, 'validation_failed', /^ban_duration: /],
    ],
    [
      'a ban beyond the end of time',
      { email: 'x@x.test', ban_duration: '999999999h' },
      [400, 'validation_failed', /^ban_duration: /],
    ],
    [
      'a flag that is text',
      { email: 'x@x.test', email_confirm: 'true' },
      [400, 'bad_json', /email_confirm/],
    ],
    [
      'metadata that is a list',
      { email: 'x@x.test', user_metadata: [] },
      [400, 'bad_json', /user_metadata/],
    ],
  ] as const)('is rejected for %s', async (_case, body, [status, code, message]) => {
    const answer = await create(body)
    const users = await auth.rows(`select id from auth.users where email = 'x@x.test'`)

    expect([answer.status, answer.body.error_code]).toEqual([status, code])
    expect(answer.body.msg).toMatch(message)
    expect(users).toEqual([])
  })

  it('is rejected for an address or an id of another user, also concurrently', async () => {
    const [email, phone] = [newEmail(), newPhone()]
    const { body: user } = await create({ email, phone })

    const answers = [
      await create({ email: email.toUpperCase() }),
      await create({ phone }),
      await create({ email, phone }),
      await create({ email: newEmail(), id: user.id }),
      await create({ email, aud: 'elsewhere' }),
    ]

    const emailTaken = 'A user with this email address has already been registered'
    expect(answers.map(statusAndCode)).toEqual([
      [422, 'email_exists', emailTaken],
      [422, 'phone_exists', 'Phone number already registered by another user'],
      [422, 'email_exists', emailTaken],
      [422, 'user_already_exists', 'A user with this id has already been registered'],
      [422, 'email_exists', emailTaken],
    ])
  })
})
