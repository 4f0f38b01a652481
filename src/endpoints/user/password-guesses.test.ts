import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from '../../../test/support/authenticator.ts'
import { type Host, openHost } from '../../../test/support/host.ts'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { type Answer, type RequestOptions, testPassword } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../index.ts'

// Information about the password that an attacker with only a session can obtain.

const off = { tokenRefresh: 'off', otp: 'off', verify: 'off' } as const
const intervals: AuthConfig = {
  email: { autoconfirm: false },
  sms: { autoconfirm: false },
  rateLimits: { ...off, emailSent: 'off', smsSent: 'off' },
}

let auth: MessagingAuth
/** Requires the current password. */
let strict: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth(intervals)
  const security = { passwordUpdate: { requireCurrentPassword: true } }
  strict = await startMessagingAuth({ ...intervals, security })
})
afterAll(() => Promise.all([auth.close(), strict.close()]))

let made = 0
const newEmail = () => `guess-${++made}@example.test`
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
/** The response without the values that differ in each request. */
const revealing = ({ status, headers, body }: Answer) => ({
  status,
  headers: [...headers.keys()],
  retryAfter: headers.get('retry-after'),
  body: { ...body, request_id: null },
})
const codesOf = (answers: Answer[]) => {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const code = body.error_code ?? String(status)
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}
const times = <T>(count: number, act: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)))

const thief = '198.51.100.66'
const newPassword = 'a brand new password'

async function stolenSession(on = auth) {
  const { user, accessToken: token } = await on.given.session(newEmail())
  const email = user.email ?? ''
  return {
    id: user.id,
    email,
    token,
    change: (body: object, options: RequestOptions = {}) =>
      on.put('/user', body, { token, ip: thief, ...options }),
    signIn: (password: string, ip = thief) =>
      on.post('/token?grant_type=password', { email, password }, { ip }),
  }
}

describe('H09: a guess on a stolen session', () => {
  it('with a new address is not revealed as right or wrong during the send interval', async () => {
    const { change, signIn } = await stolenSession()
    await change({ email: newEmail() })

    const wrong = await change({ password: 'a wrong guess', email: newEmail() })
    const right = await change({ password: testPassword, email: newEmail() })

    expect(statusAndCode(right)).toEqual([429, 'over_email_send_rate_limit'])
    expect(revealing(right)).toEqual(revealing(wrong))
    expect((await signIn(testPassword)).status).toBe(200)
  })

  it.each([
    ['the address of another user', () => ({ email: 'taken@example.test' }), 'email_exists'],
    ['the number of another user', () => ({ phone: '+15550100' }), 'phone_exists'],
  ])('with %s is not revealed as right or wrong', async (_case, wanted, code) => {
    const taken = { email: 'taken@example.test', phone: '+15550100' }
    await auth.auth.admin.createUser(taken).catch(() => {})
    const { change } = await stolenSession()

    const wrong = await change({ password: 'a wrong guess', ...wanted() })
    auth.clock.advance(60)
    const right = await change({ password: testPassword, ...wanted() })

    expect([wrong, right].map(statusAndCode)).toEqual([
      [422, code],
      [422, code],
    ])
  })

  it('of the current password is one of 50, also for concurrent requests', async () => {
    const { change, signIn } = await stolenSession(strict)

    const guess = (n: number) => change({ password: newPassword, current_password: `guess ${n}` })
    const answers = [await times(50, guess), await times(50, guess), await times(50, guess)].flat()
    const right = await change({ password: newPassword, current_password: testPassword })

    expect(codesOf(answers)).toEqual({ current_password_invalid: 50, over_request_rate_limit: 100 })
    expect(statusAndCode(right)).toEqual([429, 'over_request_rate_limit'])
    expect(right.headers.get('retry-after')).toBe('1')
    // One counter for all endpoints.
    expect(statusAndCode(await signIn('another guess'))).toEqual([429, 'over_request_rate_limit'])
  })

  it('counts with the guesses of sign-ins by user name, of a user without an address', async () => {
    const named = await startMessagingAuth({
      ...intervals,
      passkeys: { enabled: true, signUpEnabled: true },
      usernames: { enabled: true },
      security: { passwordUpdate: { requireCurrentPassword: true } },
    })
    const ip = '203.0.113.7'
    const { body } = await passkeysOf(named).signUp(createAuthenticator())
    const token = body.access_token
    const wanted = { username: 'ada', password: testPassword }
    expect((await named.put('/user', wanted, { token })).status).toBe(200)
    const signIn = (password: string) =>
      named.post('/token?grant_type=password', { username: 'Ada', password }, { ip })
    await times(50, (n) => signIn(`guess ${n}`))

    const change = { password: newPassword, current_password: testPassword }
    const guess = await named.put('/user', change, { token, ip })
    await named.close()

    expect(statusAndCode(guess)).toEqual([429, 'over_request_rate_limit'])
  })

  it('counts with the guesses of sign-ins and deletions', async () => {
    const { change, signIn, token } = await stolenSession(strict)
    await times(30, (n) => signIn(`guess ${n}`))
    await times(10, (n) =>
      strict.auth.api
        .deleteUser({ accessToken: token, password: `guess ${n}` }, { ip: thief })
        .catch(() => {}),
    )

    const answers = await times(20, (n) =>
      change({ password: newPassword, current_password: `guess ${n}` }),
    )

    expect(codesOf(answers)).toEqual({ current_password_invalid: 10, over_request_rate_limit: 10 })
  })

  it('in code is counted as over HTTP', async () => {
    const { token } = await stolenSession(strict)
    const guess = (currentPassword: string) =>
      strict.auth.api
        .updateUser({ accessToken: token, password: newPassword, currentPassword }, { ip: thief })
        .then(
          () => '200',
          (error: { code: string }) => error.code,
        )

    const codes = await times(60, (n) => guess(`guess ${n}`))

    expect(codes.filter((code) => code === 'current_password_invalid')).toHaveLength(50)
    expect(codes.filter((code) => code === 'over_request_rate_limit')).toHaveLength(10)
  })

  it('in a transaction that the host rolls back is counted, too', async () => {
    const { token } = await stolenSession(strict)
    const host: Host = await openHost(strict.databaseUrl)
    const guess = (currentPassword: string) =>
      host
        .transaction((em) =>
          strict.auth.api.updateUser(
            { accessToken: token, password: newPassword, currentPassword },
            { em },
          ),
        )
        .then(
          () => '200',
          (error: { code: string }) => error.code,
        )
    for (let tries = 0; tries < 100; tries += 1) {
      expect(await guess('wrong')).toBe('current_password_invalid')
    }

    const right = await guess(testPassword)
    await host.close()

    expect(right).toBe('over_request_rate_limit')
  })

  it('is counted for a user who has no address', async () => {
    const { change, id } = await stolenSession(strict)
    await strict.rows('update auth.users set email = null where id = $1', [id])

    const answers = await times(60, (n) =>
      change({ password: newPassword, current_password: `guess ${n}` }),
    )

    expect(codesOf(answers)).toEqual({ current_password_invalid: 50, over_request_rate_limit: 10 })
  })
})

describe('other clients that have used up the password attempts', () => {
  const exhaust = (signIn: (password: string) => Promise<Answer>) =>
    times(60, (n) => signIn(`a guess of strangers ${n}`))

  it('cannot prevent a user who signed in by a link or code from setting a new one', async () => {
    const { email, signIn } = await stolenSession(strict)
    await exhaust(signIn)
    await strict.post('/recover', { email })
    const { fragment } = await strict.follow(await strict.messageTo(email))
    const token = fragment.get('access_token') ?? ''

    const answer = await strict.put('/user', { password: newPassword }, { token })

    expect(statusAndCode(answer)).toEqual([200, undefined])
  })

  it('do not make the response reveal the current password', async () => {
    const { change, signIn } = await stolenSession()
    await exhaust(signIn)

    // Without attempts, the new password is not compared with the current one.
    expect((await change({ password: testPassword })).status).toBe(200)
  })

  it('do not delay the owner at a usual place', async () => {
    const { change, signIn } = await stolenSession(strict)
    const home = '203.0.113.80'
    await signIn(testPassword, home)
    await exhaust(signIn)

    const answer = await change(
      { password: newPassword, current_password: testPassword },
      { ip: home },
    )

    expect(statusAndCode(answer)).toEqual([200, undefined])
  })
})

describe('a guess on a stolen session whose address is changed again and again', () => {
  it('is one more in the same row, by PUT /user as at sign-in', async () => {
    const security = { passwordUpdate: { requireCurrentPassword: true } }
    const open = await startMessagingAuth({ ...intervals, sms: { autoconfirm: true }, security })
    const phone = (n: number) => `+1555010${String(n).padStart(4, '0')}`
    await open.auth.admin.createUser({
      phone: phone(0),
      phoneConfirm: true,
      password: testPassword,
    })
    const signIn = (number: string, password: string) =>
      open.post('/token?grant_type=password', { phone: number, password }, { ip: thief })
    const { body: session } = await open.post(
      '/token?grant_type=password',
      { phone: phone(0), password: testPassword },
      { ip: '203.0.113.7' },
    )
    const put = (body: object) =>
      open.put('/user', body, { token: session.access_token, ip: thief })
    const answers: Answer[] = []
    for (let n = 1; n <= 6; n += 1) {
      answers.push(...(await times(6, () => signIn(phone(n - 1), 'a wrong guess'))))
      const guess = { password: newPassword, current_password: 'a wrong guess' }
      answers.push(...(await times(6, () => put(guess))))
      expect((await put({ phone: phone(n) })).status).toBe(200)
    }
    const atUnknown = await signIn(phone(99), 'a wrong guess')
    await open.close()

    expect(codesOf(answers)).toEqual({
      invalid_credentials: 26,
      current_password_invalid: 24,
      over_request_rate_limit: 22,
    })
    expect(statusAndCode(atUnknown)).toEqual([400, 'invalid_credentials'])
  })

  it('does not reveal at an email address whether its user has a number', async () => {
    const number = '+15550107777'
    const { email } = await auth.auth.admin.createUser({
      email: newEmail(),
      emailConfirm: true,
      phone: number,
      phoneConfirm: true,
      password: testPassword,
    })
    const from = (body: object) =>
      auth.post('/token?grant_type=password', { ...body, password: 'wrong' }, { ip: thief })
    await times(60, () => from({ phone: number }))

    const answers = [await from({ email }), await from({ email: 'nobody-at-all@example.test' })]

    expect(answers.map(statusAndCode)).toEqual(Array(2).fill([400, 'invalid_credentials']))
    expect(statusAndCode(await from({ phone: number }))).toEqual([429, 'over_request_rate_limit'])
  })
})
