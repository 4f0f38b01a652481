import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { placesOf } from '../../../test/support/people.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({ security: { ownDeletionEnabled: true } })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `leaving-${++made}@example.test`
const newPhone = () => `49158${String(++made).padStart(8, '0')}`
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]

const remove = (token: string, body?: object) =>
  auth.request('DELETE', '/user', { token, ...(body && { body }) })

const signedIn = async (email = newEmail()) => {
  const { user, accessToken: token, refreshToken } = await auth.given.session(email)
  const nonce = async () => {
    await auth.get('/reauthenticate', { token })
    return (await auth.messageTo(email)).code
  }
  const isThere = async () => (await auth.get('/user', { token })).status === 200
  return { user, email, token, refreshToken, nonce, isThere }
}

describe('DELETE /user', () => {
  it('erases the user after a right password', async () => {
    const { user, email, token, refreshToken, isThere } = await signedIn()

    const answer = await remove(token, { password: testPassword })

    const refresh = { refresh_token: refreshToken }
    const refreshed = await auth.post('/token?grant_type=refresh_token', refresh)
    expect([answer.status, answer.body]).toEqual([200, {}])
    expect(await isThere()).toBe(false)
    expect(statusAndCode(refreshed)).toEqual([400, 'refresh_token_not_found'])
    expect(await placesOf(auth, [user.id, email])).toEqual([])
  })

  it('requires the second factor of a user who has one, before a password is compared', async () => {
    const factors = secondFactors(auth)
    const { user, accessToken, app } = await factors.aal2Session(newEmail())
    const credentials = { email: user.email ?? '', password: testPassword }
    const { session: weak } = await auth.auth.api.signInWithPassword(credentials)

    const answers = [
      await remove(weak.accessToken, { password: testPassword }),
      await remove(weak.accessToken, { password: 'wrong' }),
    ]

    expect(answers.map(statusAndCode)).toEqual(Array(2).fill([403, 'insufficient_aal']))
    expect((await auth.auth.admin.listFactors(user.id)).map(({ id }) => id)).toEqual([app.id])
    expect((await remove(accessToken, { password: testPassword })).status).toBe(200)
  })

  it('erases the user after a nonce, by mail or SMS', async () => {
    const byMail = await signedIn()
    const phone = newPhone()
    const { id } = await auth.auth.admin.createUser({
      phone,
      phoneConfirm: true,
      password: 'secret',
    })
    const { session } = await auth.auth.api.signInWithPassword({ phone, password: 'secret' })
    await auth.get('/reauthenticate', { token: session.accessToken })
    const { code } = await auth.messageTo(phone)

    const answers = [
      await remove(byMail.token, { nonce: await byMail.nonce() }),
      await remove(session.accessToken, { nonce: code }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await placesOf(auth, [byMail.user.id, id, byMail.email, phone])).toEqual([])
  })

  it('is recorded, without user and client', async () => {
    const { token } = await signedIn()
    auth.clock.advance(1)

    await remove(token, { password: testPassword })

    const entries = await auth.rows(
      `select action, actor_id, actor_role, user_id, traits, ip, request_id
        from auth.audit_entries where created_at >= $1`,
      [auth.clock.now().toISOString()],
    )
    expect(entries).toEqual([
      {
        action: 13,
        actor_id: expect.any(String),
        actor_role: null,
        user_id: null,
        traits: { erased: true },
        ip: null,
        request_id: null,
      },
    ])
  })

  it.each([
    ['nothing', undefined, [400, 'reauthentication_needed']],
    ['an empty password', { password: '', nonce: '' }, [400, 'reauthentication_needed']],
    ['a wrong password', { password: 'wrong' }, [400, 'invalid_credentials']],
    ['a wrong nonce', { nonce: '000000' }, [422, 'reauthentication_not_valid']],
    [
      'a wrong nonce beside the password',
      { nonce: '000000', password: testPassword },
      [422, 'reauthentication_not_valid'],
    ],
    ['a password that is no text', { password: 1 }, [400, 'bad_json']],
  ])('is rejected with %s', async (_case, body, expected) => {
    const { token, isThere } = await signedIn()

    expect(statusAndCode(await remove(token, body))).toEqual(expected)
    expect(await isThere()).toBe(true)
  })

  it('is rejected with the nonce or the password of another user', async () => {
    const mine = await signedIn()
    const other = await signedIn()
    await auth.auth.admin.updateUser(other.user.id, { password: 'another horse' })
    const otherToken = await tokenOf(other.email, 'another horse')
    await auth.get('/reauthenticate', { token: otherToken })
    const { code } = await auth.messageTo(other.email)

    const answers = [
      await remove(mine.token, { nonce: code }),
      await remove(mine.token, { password: 'another horse' }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [422, 'reauthentication_not_valid'],
      [400, 'invalid_credentials'],
    ])
    expect(await mine.isThere()).toBe(true)
  })

  it('requires a nonce of a user without a password', async () => {
    const email = newEmail()
    await auth.post('/otp', { email })
    const { code: token } = await auth.messageTo(email)
    const { body: session } = await auth.post('/verify', { type: 'email', email, token })
    const without = await remove(session.access_token, { password: testPassword })

    await auth.get('/reauthenticate', { token: session.access_token })
    const { code: nonce } = await auth.messageTo(email)
    const answer = await remove(session.access_token, { nonce })

    expect(statusAndCode(without)).toEqual([400, 'invalid_credentials'])
    expect(answer.status).toBe(200)
  })

  it('requires a recent sign-in of a user without password and confirmed address', async () => {
    const [recent, old, named] = [await signedIn(), await signedIn(), await signedIn()]
    const none = 'email = null, email_confirmed_at = null'
    await auth.rows(`update auth.users set ${none} where id = $1`, [named.user.id])
    await auth.rows(`update auth.users set ${none}, password_hash = null where id = any($1)`, [
      [recent.user.id, old.user.id],
    ])

    const first = [await remove(named.token), await remove(recent.token)]
    auth.clock.advance(601)
    const late = await remove(old.token)

    expect(statusAndCode(first[0] as Answer)).toEqual([400, 'reauthentication_needed'])
    expect(first[1]?.status).toBe(200)
    expect(statusAndCode(late)).toEqual([403, 'reauthentication_needed'])
    expect(late.body.step_up).toBe('sign_in')
    expect(await old.isThere()).toBe(true)
  })

  describe('where new passwords are restricted and the only address is of this day', () => {
    const day = 24 * 60 * 60 * 1000
    const addressAge = (userId: string, ageMs: number) =>
      auth.rows('update auth.users set email_changed_at = $2 where id = $1', [
        userId,
        new Date(auth.clock.now().getTime() - ageMs).toISOString(),
      ])
    const restricted = {
      ownDeletionEnabled: true,
      passwordUpdate: { requireCurrentPassword: true },
    }

    it('is rejected without a password until a nonce can be sent, also after a recent sign-in', async () => {
      const other = await auth.beside({ security: restricted })
      const { user, token, isThere } = await signedIn()
      await auth.rows('update auth.users set password_hash = null where id = $1', [user.id])
      await addressAge(user.id, 0)

      const early = await other.request('DELETE', '/user', { token })
      const request = await other.request('GET', '/reauthenticate', { token })
      await addressAge(user.id, day)
      const later = await other.request('DELETE', '/user', { token })
      await other.close()

      const tooNew = [422, 'address_too_new']
      expect([early, request].map(statusAndCode)).toEqual([tooNew, tooNew])
      expect(statusAndCode(later)).toEqual([400, 'reauthentication_needed'])
      expect(await isThere()).toBe(true)
    })

    it('requires the password of a user who has one', async () => {
      const other = await auth.beside({ security: restricted })
      const { user, token } = await signedIn()
      await addressAge(user.id, 0)

      const without = await other.request('DELETE', '/user', { token })
      const body = { password: testPassword }
      const erased = await other.request('DELETE', '/user', { token, body })
      await other.close()

      expect(statusAndCode(without)).toEqual([400, 'reauthentication_needed'])
      expect(erased.status).toBe(200)
    })
  })

  it('permits no more password guesses than sign-ins do', async () => {
    const { email, token, isThere } = await signedIn()
    const guesses = Array.from({ length: 60 }, () => remove(token, { password: 'wrong' }))

    const codes = (await Promise.all(guesses)).map(({ body }) => body.error_code)
    const signIn = await auth.post(
      '/token?grant_type=password',
      { email, password: 'wrong' },
      { ip: '198.51.100.9' },
    )

    expect(codes.filter((code) => code === 'invalid_credentials')).toHaveLength(50)
    expect(codes.filter((code) => code === 'over_request_rate_limit')).toHaveLength(10)
    expect(statusAndCode(signIn)).toEqual([429, 'over_request_rate_limit'])
    expect(await isThere()).toBe(true)
  })

  it('revokes a nonce after five wrong ones', async () => {
    const { token, nonce, isThere } = await signedIn()
    const code = await nonce()
    for (let guess = 0; guess < 5; guess += 1) await remove(token, { nonce: '000000' })

    expect(statusAndCode(await remove(token, { nonce: code }))).toEqual([
      422,
      'reauthentication_not_valid',
    ])
    expect(await isThere()).toBe(true)
  })

  it('succeeds once among concurrent requests', async () => {
    const { token, nonce } = await signedIn()
    const code = await nonce()

    const asks = Array.from({ length: 5 }, () => remove(token, { nonce: code }))
    const answers = await Promise.all(asks)

    const statuses = answers.map(({ status }) => status).toSorted()
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses) expect([200, 403, 409, 422]).toContain(status)
  })

  it('is rejected once the password that permitted it has changed', async () => {
    const { user, token, isThere } = await signedIn()
    const { passwords } = await auth.deps()
    const { verify } = passwords
    // Changes the password, as its owner, between the check and the deletion.
    passwords.verify = async (...args) => {
      passwords.verify = verify
      const isRight = await verify(...args)
      await auth.rows('update auth.users set password_hash = $1 where id = $2', ['x', user.id])
      return isRight
    }

    const answer = await remove(token, { password: testPassword })

    expect(statusAndCode(answer)).toEqual([409, 'conflict'])
    expect(await isThere()).toBe(true)
    expect(
      await auth.rows('select 1 from auth.audit_entries where actor_id = $1', [user.id]),
    ).toHaveLength(1)
  })

  it('requires a token', async () => {
    const answer = await auth.request('DELETE', '/user', { body: { password: testPassword } })

    expect(statusAndCode(answer)).toEqual([401, 'no_authorization'])
  })
})

const tokenOf = async (email: string, password: string): Promise<string> => {
  const { session } = await auth.auth.api.signInWithPassword({ email, password })
  return session.accessToken
}

describe('without the setting', () => {
  it('the endpoint does not exist, but the method in code does', async () => {
    const other = await startTestAuth()
    const { user, accessToken: token } = await other.given.session()
    const body = { password: testPassword }

    const answer = await other.request('DELETE', '/user', { token, body })
    expect(statusAndCode(answer)).toEqual([405, 'method_not_allowed'])
    expect(answer.headers.get('allow')).toBe('GET, HEAD, PUT')
    const { api } = other.auth
    await expect(api.deleteUser({ accessToken: token })).rejects.toMatchObject({
      code: 'reauthentication_needed',
    })

    await api.deleteUser({ accessToken: token, password: testPassword })

    expect(await placesOf(other, [user.id, user.email ?? ''])).toEqual([])
    await other.close()
  })
})
