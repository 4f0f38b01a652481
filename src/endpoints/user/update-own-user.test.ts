import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Answer,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../index.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const newPassword = 'a brand new password'

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]

const signIn = (email: string | null, password: string, on = auth) =>
  on.post('/token?grant_type=password', { email, password })

describe('metadata', () => {
  it('is merged by key, where null removes', async () => {
    const { accessToken: token } = await auth.given.session()
    await auth.put('/user', { data: { name: 'Ada', color: 'red', deep: { a: 1 } } }, { token })

    const { body } = await auth.put('/user', { data: { color: null, deep: { b: 2 } } }, { token })

    expect(body.user_metadata).toEqual({ email_verified: true, name: 'Ada', deep: { b: 2 } })
    expect((await auth.get('/user', { token })).body).toEqual(body)
  })

  it('of the service cannot be changed by the user', async () => {
    const { user, accessToken: token } = await auth.given.session()

    const answer = await auth.put('/user', { app_metadata: { role: 'admin' } }, { token })

    expect(statusAndCode(answer)).toEqual([403, 'not_admin'])
    expect((await auth.auth.admin.getUser(user.id)).appMetadata).toEqual(user.appMetadata)
  })

  it('loses no key to another change at the same time', async () => {
    const { accessToken: token } = await auth.given.session()

    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        auth.put('/user', { data: { [`key${index}`]: index } }, { token }),
      ),
    )
    const { body } = await auth.get('/user', { token })

    expect(Object.keys(body.user_metadata)).toHaveLength(11)
  })

  it('is not changed by an empty update, which succeeds', async () => {
    const { user, accessToken: token } = await auth.given.session()
    auth.clock.advance(60)

    const { status, body } = await auth.put('/user', {}, { token })

    expect(status).toBe(200)
    expect(body.user_metadata).toEqual(user.userMetadata)
    expect(body.updated_at).toBe(auth.clock.now().toISOString())
  })
})

describe('checks of a change', () => {
  it.each([
    ['a malformed email before a weak password', { email: 'no address', password: '' }, /^email: /],
    [
      'a malformed phone',
      { phone: 'no number', password: '' },
      /^Invalid phone number format \(E\.164 required\)$/,
    ],
  ])('%s', async (_case, change, message) => {
    const { accessToken: token } = await auth.given.session()

    const { status, body } = await auth.put('/user', change, { token })

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(message)
  })

  it('rejects an address that another user has', async () => {
    const { accessToken: token } = await auth.given.session()
    await auth.auth.admin.createUser({ email: 'taken@example.test', phone: '+15550100' })

    const email = await auth.put('/user', { email: 'Taken@example.test' }, { token })
    const phone = await auth.put('/user', { phone: '+1 555 0100' }, { token })

    expect([email.status, email.body.error_code]).toEqual([422, 'email_exists'])
    expect([phone.status, phone.body.error_code]).toEqual([422, 'phone_exists'])
  })

  it('ignores the present address of the user', async () => {
    const { user, accessToken: token } = await auth.given.session()

    const answer = await auth.put(
      '/user',
      { email: user.email?.toUpperCase(), phone: '' },
      { token },
    )

    expect(answer.status).toBe(200)
  })

  it.each(['', 'abc'])('rejects the password %j as weak, before app_metadata', async (password) => {
    const { accessToken: token } = await auth.given.session()

    const { status, body } = await auth.put('/user', { password, app_metadata: {} }, { token })

    expect([status, body.error_code, body.weak_password]).toEqual([
      422,
      'weak_password',
      { reasons: ['length'] },
    ])
  })
})

describe('a new password', () => {
  it('replaces the old one, and ends all other sessions', async () => {
    const { user, accessToken } = await auth.given.session()
    const other = await signIn(user.email, testPassword)

    const changed = await auth.put('/user', { password: newPassword }, { token: accessToken })

    expect(changed.status).toBe(200)
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
    expect(statusAndCode(await auth.get('/user', { token: other.body.access_token }))).toEqual([
      403,
      'session_not_found',
    ])
    expect((await signIn(user.email, testPassword)).status).toBe(400)
    expect((await signIn(user.email, newPassword)).status).toBe(200)
  })

  it('ends every session when the token has none', async () => {
    const { user, accessToken } = await auth.given.session()
    const { keys } = await auth.deps()
    const token = await keys.sign({ sub: user.id, aud: 'authenticated' })

    await auth.put('/user', { password: newPassword }, { token })

    expect(statusAndCode(await auth.get('/user', { token: accessToken }))).toEqual([
      403,
      'session_not_found',
    ])
  })

  it('revokes every link and code that was sent before', async () => {
    const { user, accessToken: token } = await auth.given.session()
    await auth.rows(
      `insert into auth.one_time_tokens
        (id, user_id, purpose, requested_by, sent_to, token_hash, code_hash, expires_at, created_at)
       select gen_random_uuid(), $1, 'recovery', 'recover', 'x', repeat('a', 43), repeat('b', 43), now(), now()`,
      [user.id],
    )
    await auth.rows('update auth.users set recovery_sent_at = now() where id = $1', [user.id])

    const { body } = await auth.put('/user', { password: newPassword }, { token })

    expect(body).not.toHaveProperty('recovery_sent_at')
    expect(
      await auth.rows('select id from auth.one_time_tokens where user_id = $1', [user.id]),
    ).toEqual([])
  })

  it('must differ from the old one', async () => {
    const { accessToken: token } = await auth.given.session()

    const answer = await auth.put('/user', { password: testPassword, data: { a: 1 } }, { token })

    expect(statusAndCode(answer)).toEqual([422, 'same_password'])
    expect((await auth.get('/user', { token })).body.user_metadata).not.toHaveProperty('a')
  })

  it('succeeds once among concurrent changes; the other is rejected', async () => {
    const { user, accessToken: token } = await auth.given.session()
    const passwords = ['the first new password', 'the second new password']
    const deps = await auth.deps()
    const { passwords: hasher } = deps
    const both = Promise.withResolvers<void>()
    let ready = 0
    const hash = async (password: string) => {
      if (++ready === passwords.length) both.resolve()
      await both.promise
      return hasher.hash(password)
    }
    deps.passwords = { ...hasher, hash }

    const answers = await Promise.all(
      passwords.map((password) => auth.put('/user', { password }, { token })),
    )
    deps.passwords = hasher
    const signIns = await Promise.all(passwords.map((password) => signIn(user.email, password)))

    const right = signIns.map(({ status }) => status === 200)
    expect(right.toSorted()).toEqual([false, true])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(answers[right.indexOf(true)]?.status).toBe(200)
  })
})

describe('with stricter settings of the operator', () => {
  const startWith = async (passwordUpdate: object) => {
    const config: AuthConfig = { security: { passwordUpdate } }
    const strict = await startTestAuth(config)
    const { user, accessToken: token } = await strict.given.session()
    const change = (body: object) =>
      strict.put('/user', { password: newPassword, ...body }, { token })
    return { strict, user, change }
  }

  it('the current password is required, and must be right', async () => {
    const { strict, change } = await startWith({ requireCurrentPassword: true })

    const answers = [
      await change({}),
      await change({ current_password: '' }),
      await change({ current_password: 'wrong' }),
      await change({ current_password: testPassword }),
    ]
    await strict.close()

    expect(answers.map(statusAndCode)).toEqual([
      [400, 'current_password_required'],
      [400, 'current_password_required'],
      [400, 'current_password_invalid'],
      [200, undefined],
    ])
  })

  it('S132: the current password is not required after a recent sign-in by code', async () => {
    const { strict, user, change } = await startWith({ requireCurrentPassword: true })
    const now = Math.floor(strict.clock.now().getTime() / 1000)
    const changeAfter = async (age: number) => {
      const code = { method: 'otp', timestamp: now - age }
      // Another proof that is recent, as of a factor.
      const amr = JSON.stringify([code, { method: 'totp', timestamp: now }])
      await strict.rows('update auth.sessions set amr = $2::jsonb where user_id = $1', [
        user.id,
        amr,
      ])
      return change({ password: `${newPassword} ${age}` })
    }

    const answers = [await changeAfter(599), await changeAfter(601)]
    await strict.close()

    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [400, 'current_password_required'],
    ])
  })

  it('a nonce is required, and none is accepted before one was sent', async () => {
    const { strict, user, change } = await startWith({ requireReauthentication: true })

    const answers = [await change({}), await change({ nonce: '123456' })]
    const signedIn = await signIn(user.email, testPassword, strict)
    await strict.close()

    expect(answers.map(statusAndCode)).toEqual([
      [400, 'reauthentication_needed'],
      [422, 'reauthentication_not_valid'],
    ])
    expect(signedIn.status).toBe(200)
  })
})
