import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'

/** Requires confirmation of addresses. */
let auth: TestAuth
/** Confirms addresses at once. */
let trusting: TestAuth

beforeAll(async () => {
  auth = await startTestAuth(withoutAutoconfirm)
  trusting = await startTestAuth()
})
afterAll(() => Promise.all([auth.close(), trusting.close()]))

let made = 0
const newEmail = () => `sign-up-${++made}@example.test`
const newPhone = () => `49151${String(++made).padStart(8, '0')}`

const signUp = (body: object, on = auth) => on.post('/signup', { password: testPassword, ...body })

const storedUser = async (on: TestAuth, id: string) => {
  const [user] = await on.rows('select * from auth.users where id = $1', [id])
  return user
}
const storedTokens = (on: TestAuth, userId: string) =>
  on.rows('select * from auth.one_time_tokens where user_id = $1', [userId])

const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/)
const timeOrderedUuid = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-/,
)

describe('a new email', () => {
  it('returns an unconfirmed user, and no session', async () => {
    const email = newEmail()
    const now = auth.clock.now().toISOString()

    const { status, body } = await signUp({ email: email.toUpperCase(), data: { name: 'Ada' } })

    const metadata = {
      name: 'Ada',
      sub: body.id,
      email,
      email_verified: false,
      phone_verified: false,
    }
    expect(status).toBe(200)
    expect(body).toEqual({
      id: uuid,
      aud: 'authenticated',
      role: 'authenticated',
      email,
      phone: '',
      confirmation_sent_at: now,
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: metadata,
      identities: [
        {
          identity_id: timeOrderedUuid,
          id: body.id,
          user_id: body.id,
          identity_data: metadata,
          provider: 'email',
          last_sign_in_at: now,
          created_at: now,
          updated_at: now,
          email,
        },
      ],
      created_at: now,
      updated_at: now,
      is_anonymous: false,
    })
    expect(await auth.rows('select id from auth.sessions where user_id = $1', [body.id])).toEqual(
      [],
    )
  })

  it('stores only the hashes of a token', async () => {
    const email = newEmail()

    const { body } = await signUp({ email })
    const tokens = await storedTokens(auth, body.id)

    expect(tokens).toEqual([
      expect.objectContaining({
        purpose: 'confirmation',
        requested_by: 'signup',
        sent_to: email,
        token_hash: expect.stringMatching(/^[\w-]{43}$/),
        code_hash: expect.stringMatching(/^[\w-]{22}$/),
        code_challenge: null,
      }),
    ])
  })

  it('stores the code challenge of a PKCE request with the token', async () => {
    const code_challenge = 'c'.repeat(43)

    const { body } = await signUp({
      email: newEmail(),
      code_challenge,
      code_challenge_method: 'S256',
    })

    expect(await storedTokens(auth, body.id)).toEqual([
      expect.objectContaining({ code_challenge, code_challenge_method: 's256' }),
    ])
  })

  it('is signed in at once with autoconfirm', async () => {
    const email = newEmail()

    const { body } = await signUp({ email, data: { name: 'Ada' } }, trusting)
    const user = await trusting.get('/user', { token: body.access_token })

    expect(body).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
    expect(body.expires_at).toBe(trusting.clock.now().getTime() / 1000 + 3600)
    expect(user.body).toEqual(body.user)
    expect(body.user).toMatchObject({
      email,
      email_confirmed_at: trusting.clock.now().toISOString(),
      confirmed_at: trusting.clock.now().toISOString(),
      last_sign_in_at: trusting.clock.now().toISOString(),
      user_metadata: { name: 'Ada', email_verified: true },
      identities: [{ identity_data: { email_verified: true } }],
    })
    expect(await storedTokens(trusting, body.user.id)).toEqual([])
  })

  it('stores the password only as argon2id', async () => {
    const { body } = await signUp({ email: newEmail(), password: 'a canary password' })

    const user = await storedUser(auth, body.id)

    expect(user?.['password_hash']).toMatch(/^\$argon2id\$v=19\$/)
    expect(JSON.stringify(user)).not.toContain('canary password')
  })

  it('ignores claims that only the service sets', async () => {
    const data = {
      sub: 'somebody else',
      email: 'other@example.test',
      email_verified: true,
      phone_verified: true,
      nothing: null,
    }

    const { body } = await signUp({
      email: newEmail(),
      data,
      app_metadata: { role: 'admin' },
      role: 'x',
    })

    expect(body.user_metadata).toEqual({
      sub: body.id,
      email: body.email,
      email_verified: false,
      phone_verified: false,
    })
    expect([body.role, body.app_metadata]).toEqual([
      'authenticated',
      { provider: 'email', providers: ['email'] },
    ])
  })
})

describe('a new phone', () => {
  it('is stored as its digits', async () => {
    const phone = newPhone()

    const { body } = await signUp({ phone: `+${phone.slice(0, 5)} ${phone.slice(5)}` })

    expect(body).toMatchObject({
      phone,
      email: '',
      app_metadata: { provider: 'phone', providers: ['phone'] },
      identities: [{ provider: 'phone', identity_data: { phone, phone_verified: false } }],
    })
    expect(body.identities[0]).not.toHaveProperty('email')
  })

  it('is signed in at once with autoconfirm', async () => {
    const { body } = await signUp({ phone: newPhone() }, trusting)

    expect(body.access_token).toEqual(expect.any(String))
    expect(body.user.phone_confirmed_at).toBe(trusting.clock.now().toISOString())
  })
})
