import { afterEach, describe, expect, it } from 'vitest'
import type { AuthConfig } from '../src/platform/config/config.ts'
import type {
  AfterUserCreatedPayload,
  BeforeUserCreatedPayload,
  CustomAccessTokenPayload,
  PasswordVerificationPayload,
} from '../src/platform/config/sections/hooks.ts'
import { AuthError } from '../src/platform/errors/auth-error.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { secondFactors } from './support/second-factors.ts'
import { type Answer, testPassword } from './support/test-auth.ts'

let auth: MessagingAuth
/** The entries of the log that describe a fault. */
const faults = () => auth.log.filter(({ fields }) => 'fault' in fields)
afterEach(() => auth.close())

const start = async (hooks: AuthConfig['hooks'], config: AuthConfig = {}) => {
  auth = await startMessagingAuth({ ...config, hooks: hooks ?? {} })
}
const password = testPassword
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const claimsIn = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const signIn = (email: string | null, secret = password) =>
  auth.post('/token?grant_type=password', { email, password: secret })
const refresh = (refresh_token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token })

describe('customAccessToken', () => {
  it('sets the claims of tokens, and receives the authentication method', async () => {
    const received: unknown[] = []
    await start({
      customAccessToken: (payload) => {
        const { claims, authentication_method, user_id } = payload as CustomAccessTokenPayload
        received.push([authentication_method, user_id])
        const { user_metadata: _, ...rest } = claims
        return { claims: { ...rest, role: 'editor', plan: 'gold' } }
      },
    })
    const { user, refreshToken, accessToken } = await auth.given.session()
    const factors = secondFactors(auth)
    const renewed = await refresh(refreshToken)
    const app = await factors.enrolledApp(renewed.body.access_token)
    const strong = await factors.prove(renewed.body.access_token, app)

    for (const token of [accessToken, renewed.body.access_token, strong.body.access_token]) {
      expect(claimsIn(token)).toMatchObject({ sub: user.id, role: 'editor', plan: 'gold' })
      expect(claimsIn(token)).not.toHaveProperty('user_metadata')
    }
    expect(received).toEqual(
      ['password', 'token_refresh', 'totp'].map((method) => [method, user.id]),
    )
  })

  it("S21: gives no user an administrator's role", async () => {
    await start({
      customAccessToken: ({ claims }) => ({
        claims: { ...(claims as object), role: 'service_role' },
      }),
    })
    const { email } = await auth.given.user()
    const { status, body } = await signIn(email)

    expect([status, body.error_code]).toEqual([500, 'unexpected_failure'])
  })

  it('changes no claim that this service decides by, and extends no lifetime', async () => {
    await start({
      customAccessToken: (payload) => {
        const claims = payload['claims'] as Record<string, number>
        return {
          claims: {
            ...claims,
            sub: '00000000-0000-4000-8000-000000000000',
            session_id: '00000000-0000-4000-8000-000000000000',
            aal: 'aal2',
            amr: ['hwk'],
            is_anonymous: true,
            iss: 'https://other.example.test',
            iat: 1,
            exp: 4_102_444_800,
          },
        }
      },
    })
    const { user, accessToken } = await auth.given.session()
    const { exp, iat, ...claims } = claimsIn(accessToken)

    expect(claims).toMatchObject({
      sub: user.id,
      aal: 'aal1',
      amr: [{ method: 'password' }],
      is_anonymous: false,
    })
    // The service has no issuer.
    expect(claims).not.toHaveProperty('iss')
    expect(exp - iat).toBe(3600)
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
  })

  it('may shorten the lifetime of a token, which the response contains', async () => {
    await start({
      customAccessToken: ({ claims }) => {
        const { iat } = claims as { iat: number }
        return { claims: { ...(claims as object), exp: iat + 60 } }
      },
    })
    const { email } = await auth.given.user()
    const { body } = await signIn(email)

    expect(body.expires_in).toBe(60)
    expect(body.expires_at).toBe(claimsIn(body.access_token).exp)
  })

  it.each([
    ['no claims', {}, 'output claims field is missing'],
    ['claims that are none', { claims: ['a'] }, 'output claims is of the wrong type'],
    [
      'claims without what every token says',
      { claims: { sub: 'x' } },
      /^output claims do not conform to the expected schema: aud, exp, iat, email/,
    ],
    ['claims that are not JSON', { claims: { n: 1n } }, 'output claims are not JSON'],
  ])('fails with %s', async (_what, output, message) => {
    await start({ customAccessToken: () => output as never })
    const { email } = await auth.given.user()

    const { status, body } = await signIn(email)

    expect([status, body.error_code]).toEqual([500, 'unexpected_failure'])
    expect(body.msg).toMatch(message)
    expect(faults()).toMatchObject([
      { message: 'hook failed', fields: { hook: 'customize-access-token' } },
    ])
  })

  it('consumes no refresh token while it fails', async () => {
    let isDown = false
    await start({
      customAccessToken: ({ claims }) => {
        if (isDown) throw new AuthError('hook_timeout', 422, 'down')
        return { claims }
      },
    })
    const { refreshToken } = await auth.given.session()
    isDown = true
    const during = await refresh(refreshToken)
    auth.clock.advance(3600)
    isDown = false
    const after = await refresh(refreshToken)

    expect([during.status, after.status]).toEqual([422, 200])
  })

  it('does not hide a stolen refresh token while it fails', async () => {
    let isDown = false
    await start({
      customAccessToken: ({ claims }) => {
        if (isDown) throw new AuthError('hook_timeout', 422, 'down')
        return { claims }
      },
    })
    const { refreshToken: first } = await auth.given.session()
    const second = await refresh(first)
    const third = await refresh(second.body.refresh_token)
    isDown = true

    expect((await refresh(first)).body.error_code).toBe('refresh_token_already_used')
    isDown = false
    expect((await refresh(third.body.refresh_token)).body.error_code).toBe(
      'refresh_token_already_used',
    )
  })
})

describe('the size of a token', () => {
  const padded = (bytes: number): AuthConfig['hooks'] => ({
    customAccessToken: ({ claims }) => ({
      claims: { ...(claims as object), pad: 'x'.repeat(bytes) },
    }),
  })

  it('causes a warning above 2 KiB, once an hour, without values of the token', async () => {
    await start(padded(1800))
    const { email } = await auth.given.user()
    for (let time = 0; time < 3; time += 1) await signIn(email)
    const warnings = () => auth.log.filter(({ message }) => /large access token/.test(message))

    expect(warnings()).toMatchObject([{ level: 'warn', fields: { largest: { pad: 1802 } } }])
    expect(JSON.stringify(warnings())).not.toContain('xxx')
    auth.clock.advance(3601)
    await signIn(email)
    expect(warnings()).toHaveLength(2)
  })

  it('is rejected above the size that requests can carry', async () => {
    await start(padded(12_000))
    const { email } = await auth.given.user()

    const { status, body } = await signIn(email)

    expect([status, body.error_code]).toEqual([500, 'unexpected_failure'])
    expect(body.msg).toMatch(/^The access token has \d+ bytes; the limit is 15360$/)
    expect(faults()).toMatchObject([
      {
        message: 'hook failed',
        fields: {
          hook: 'customize-access-token',
          fault: { cause: { message: expect.stringContaining('"pad":12002') } },
        },
      },
    ])
  })

  it('is no failure of a hook that leaves too large claims unchanged', async () => {
    await start(
      { customAccessToken: ({ claims }) => ({ claims }) },
      { security: { maxMetadataBytes: 10_240 } },
    )
    const { id, email } = await auth.given.user()
    const metadata = { pad: 'x'.repeat(8_000) }
    await auth.auth.admin.updateUser(id, { userMetadata: metadata, appMetadata: metadata })

    const { status } = await signIn(email)

    expect(status).toBe(500)
    expect(faults()).toMatchObject([{ level: 'error', message: 'request failed' }])
    expect(JSON.stringify(faults())).not.toContain('customize-access-token')
  })
})

describe('passwordVerificationAttempt', () => {
  it('receives every password attempt, and unknown addresses under an id of their own', async () => {
    const received: PasswordVerificationPayload[] = []
    await start({
      passwordVerificationAttempt: (payload) =>
        void received.push(payload as PasswordVerificationPayload),
    })
    const { id, email } = await auth.given.user()
    await signIn(email)
    await signIn(email, 'wrong')
    await signIn('nobody@example.test')
    await signIn('Nobody@example.test', 'another')
    await signIn('else@example.test')

    const [right, wrong, ofUnknown, again, other] = received
    expect([right, wrong]).toMatchObject([
      { user_id: id, valid: true, metadata: { name: 'password-verification' } },
      { user_id: id, valid: false },
    ])
    expect(ofUnknown?.user_id).toMatch(
      /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
    )
    expect([ofUnknown?.valid, again?.user_id]).toEqual([false, ofUnknown?.user_id])
    expect(new Set([id, ofUnknown?.user_id, other?.user_id]).size).toBe(3)
  })

  it('gives the same response for known and unknown users, where it counts attempts', async () => {
    const counts = new Map<unknown, number>()
    await start({
      passwordVerificationAttempt: ({ user_id }) => {
        const count = (counts.get(user_id) ?? 0) + 1
        counts.set(user_id, count)
        return count > 2 ? { decision: 'reject', message: 'Locked' } : { decision: 'continue' }
      },
    })
    const { email } = await auth.given.user()
    const triesOf = async (address: string | null) => {
      const answers = []
      for (let time = 0; time < 4; time += 1)
        answers.push(statusAndCode(await signIn(address, 'wrong')))
      return answers
    }

    expect(await triesOf(email)).toEqual(await triesOf('nobody@example.test'))
    expect(statusAndCode(await signIn(email))).toEqual([400, 'invalid_credentials', 'Locked'])
  })

  it.each([
    [true, 0],
    [false, 1],
  ])(
    'ends the sessions of the user where its decision requires it: %s',
    async (should_logout_user, left) => {
      let decision: 'continue' | 'reject' = 'continue'
      await start({ passwordVerificationAttempt: () => ({ decision, should_logout_user }) })
      const { user } = await auth.given.session()
      decision = 'reject'

      expect(statusAndCode(await signIn(user.email))).toEqual([
        400,
        'invalid_credentials',
        'Further password verification attempts will be rejected.',
      ])
      expect(await auth.auth.admin.listSessions(user.id)).toHaveLength(left)
    },
  )
})

describe('beforeUserCreated', () => {
  it('receives the user as stored, with the same id', async () => {
    const received: BeforeUserCreatedPayload[] = []
    await start({
      beforeUserCreated: (payload) => void received.push(payload as BeforeUserCreatedPayload),
    })
    const { body } = await auth.post('/signup', {
      email: 'ada@example.test',
      password,
      data: { name: 'Ada' },
    })

    expect(received).toHaveLength(1)
    expect(received[0]?.user).toMatchObject({
      id: body.id,
      email: 'ada@example.test',
      user_metadata: { name: 'Ada' },
    })
    expect(JSON.stringify(received)).not.toContain(password)
  })

  it('runs at a sign-up for known and unknown addresses, with the same response', async () => {
    let requested = 0
    let isOpen = true
    await start({
      beforeUserCreated: () => {
        requested += 1
        if (!isOpen) throw new AuthError('signup_disabled', 422, 'Closed')
      },
    })
    const { email } = await auth.given.user()
    const signUp = (address: string | null) => auth.post('/signup', { email: address, password })
    requested = 0
    const open = [await signUp(email), await signUp('new@example.test')]
    isOpen = false
    const closed = [await signUp(email), await signUp('newer@example.test')]

    expect(requested).toBe(4)
    expect(open.map(({ status }) => status)).toEqual([200, 200])
    expect(closed.map(statusAndCode)).toEqual([
      [422, 'signup_disabled', 'Closed'],
      [422, 'signup_disabled', 'Closed'],
    ])
  })

  it('runs at a sign-in by code in both cases, and does not reject an existing user', async () => {
    let requested = 0
    let hookResponse = {}
    await start({
      beforeUserCreated: () => {
        requested += 1
        return hookResponse
      },
    })
    const { email } = await auth.given.user()
    hookResponse = { error: { http_code: 403, message: 'Closed' } }
    requested = 0
    const known = await auth.post('/otp', { email })
    const unknown = await auth.post('/otp', { email: 'nobody@example.test' })
    const never = { email: 'nobody@example.test', create_user: false }

    expect([known.status, requested]).toEqual([200, 2])
    expect(await auth.messagesTo(email ?? '')).toHaveLength(1)
    expect(statusAndCode(unknown)).toEqual([403, 'unknown', 'Closed'])
    expect([statusAndCode(await auth.post('/otp', never))[1], requested]).toEqual([
      'otp_disabled',
      2,
    ])
  })

  it('does not run for imports', async () => {
    let requested = 0
    await start({ beforeUserCreated: () => void requested++ })
    const { imported } = await auth.auth.admin.importUsers([{ email: 'ada@example.test' }])

    expect([imported, requested]).toEqual([1, 0])
  })

  it('runs once for a user whom an operator creates in place of an unconfirmed account', async () => {
    let requested = 0
    await start({ beforeUserCreated: () => void requested++ })
    await auth.post('/signup', { email: 'ada@example.test', password })
    requested = 0
    await auth.auth.admin.createUser({ email: 'ada@example.test', emailConfirm: true })

    expect(requested).toBe(1)
  })
})

describe('afterUserCreated', () => {
  it('receives a new user after the commit, and again when it fails', async () => {
    const received: AfterUserCreatedPayload[] = []
    await start({
      afterUserCreated: (payload) => {
        received.push(payload as AfterUserCreatedPayload)
        if (received.length === 1) throw new Error('not now')
      },
    })
    const { status, body } = await auth.post('/signup', { email: 'ada@example.test', password })
    auth.clock.advance(5)
    await (await auth.deps()).outbox.settled()

    expect(status).toBe(200)
    const { metadata } = received[0] ?? {}
    expect(received).toMatchObject([
      { metadata: { name: 'after-user-created' }, user: { id: body.id } },
      { metadata, user: { id: body.id } },
    ])
    // One of these two is new.
    await auth.post('/signup', { email: 'ada@example.test', password })
    await auth.given.session()
    await (await auth.deps()).outbox.settled()
    expect(received).toHaveLength(3)
  })
})

describe('the failure of a hook', () => {
  const user = { email: 'ada@example.com', password }
  const fault = (message: string) => ({ message: 'hook failed', fields: { fault: { message } } })

  it.each([
    ['an exception', () => Promise.reject(new TypeError('a defect')), fault('a defect')],
    [
      'an unknown member',
      () => ({ eror: 1 }) as never,
      {
        fields: {
          fault: {
            cause: { message: 'beforeUserCreated returned "eror". It may return "error"' },
          },
        },
      },
    ],
  ])('is logged once under the request id: %s', async (_kind, beforeUserCreated, entry) => {
    await start({ beforeUserCreated })

    const { status, headers, body } = await auth.post('/signup', user)

    expect(status).toBe(500)
    expect(JSON.stringify(body)).not.toMatch(/eror|defect/)
    const requestId = headers.get('x-request-id')
    const hook = 'before-user-created'
    expect(faults()).toMatchObject([
      { level: 'error', ...entry, fields: { ...entry.fields, requestId, hook } },
    ])
  })

  it('is logged once under the request id of a call in code', async () => {
    await start({ beforeUserCreated: () => ({ eror: 1 }) as never })

    await expect(auth.auth.api.signUp(user, { requestId: 'call-1' })).rejects.toThrow()

    expect(faults()).toMatchObject([{ message: 'hook failed', fields: { requestId: 'call-1' } }])
  })
})
