import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type DeliveredMessage,
  type MessagingAuth,
  startMessagingAuth,
} from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `verify-${++made}@example.test`
const newPhone = () => `49152${String(++made).padStart(8, '0')}`

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const expired = [403, 'otp_expired', 'Token has expired or is invalid']
const linkExpired = [403, 'otp_expired', 'Email link is invalid or has expired']

const verify = (body: object) => auth.post('/verify', body)
const byCode = ({ to, code }: DeliveredMessage, type: string) =>
  verify({ type, token: code, email: to })
const byHash = ({ hash }: DeliveredMessage, type: string) => verify({ type, token_hash: hash })

/** Sends each message, and returns it with its requester. */
const requests = {
  signup: async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword })
    return auth.messageTo(email)
  },
  invite: async () => {
    const email = newEmail()
    await auth.post('/invite', { email }, { token: await auth.given.serviceToken() })
    return auth.messageTo(email)
  },
  magiclink: async () => {
    const { email } = await auth.given.user(newEmail())
    await auth.post('/magiclink', { email })
    return auth.messageTo(email ?? '')
  },
  recovery: async () => {
    const { email } = await auth.given.user(newEmail())
    await auth.post('/recover', { email })
    return auth.messageTo(email ?? '')
  },
}

describe.each(Object.keys(requests) as (keyof typeof requests)[])('a mail for %s', (type) => {
  it('signs in by its code, together with the address', async () => {
    const message = await requests[type]()

    const { status, body } = await byCode(message, type)

    expect([status, body.type, body.token_type]).toEqual([200, type, 'bearer'])
    expect(body.user).toMatchObject({ email: message.to, last_sign_in_at: now() })
    expect((await auth.get('/user', { token: body.access_token })).body).toEqual(body.user)
    const renewed = await auth.post('/token?grant_type=refresh_token', {
      refresh_token: body.refresh_token,
    })
    expect(renewed.status).toBe(200)
  })

  it('signs in by the secret of its link only', async () => {
    const message = await requests[type]()

    const { status, body } = await byHash(message, type)

    expect([status, body.type, body.user.email]).toEqual([200, type, message.to])
  })

  it('is accepted as `email`, which includes all types of mails', async () => {
    const [first, second] = [await requests[type](), await requests[type]()]

    const answers = [await byCode(first, 'email'), await byHash(second, 'email')]

    const means = type === 'signup' || type === 'invite' ? 'signup' : 'magiclink'
    expect(answers.map(({ status, body }) => [status, body.type])).toEqual([
      [200, means],
      [200, means],
    ])
  })

  it('is accepted once, in either form', async () => {
    const message = await requests[type]()

    const answers = [
      await byCode(message, type),
      await byCode(message, type),
      await byHash(message, type),
    ]

    expect(answers[0]?.status).toBe(200)
    expect(answers.slice(1).map(statusAndCode)).toEqual([expired, linkExpired])
  })

  it('is valid for the configured time, and no longer', async () => {
    const [early, late] = [await requests[type](), await requests[type]()]
    auth.clock.advance(86_399)
    const inTime = await byHash(early, type)
    auth.clock.advance(1)

    const answers = [await byCode(late, type), await byHash(late, type)]

    expect(inTime.status).toBe(200)
    expect(answers.map(statusAndCode)).toEqual([expired, linkExpired])
  })

  it('is rejected for a banned user', async () => {
    const message = await requests[type]()
    const [user] = await auth.rows<{ id: string }>('select id from auth.users where email = $1', [
      message.to,
    ])
    await auth.auth.admin.updateUser(user?.id ?? '', { banDuration: '1h' })

    const answers = [await byCode(message, type), await byHash(message, type)]

    expect(answers.map(statusAndCode)).toEqual([
      [403, 'user_banned', 'User is banned'],
      [403, 'user_banned', 'User is banned'],
    ])
  })
})

describe('an SMS', () => {
  it('signs up by its code, together with the number in any spelling', async () => {
    const phone = newPhone()
    await auth.post('/signup', { phone, password: testPassword })
    const { code } = await auth.messageTo(phone)

    const { status, body } = await verify({ type: 'sms', token: code, phone: `+${phone}` })

    expect([status, body.type]).toEqual([200, 'sms'])
    expect(body.user).toMatchObject({ phone, phone_confirmed_at: now(), last_sign_in_at: now() })
    expect(body.user.identities[0].identity_data).toMatchObject({ phone, phone_verified: true })
  })

  it('is valid for the configured time, and no longer', async () => {
    const phone = newPhone()
    await auth.post('/otp', { phone })
    const { code } = await auth.messageTo(phone)
    auth.clock.advance((await auth.deps()).config.sms.otpLifetimeSeconds)

    const answer = await verify({ type: 'sms', token: code, phone })

    expect(statusAndCode(answer)).toEqual(expired)
  })

  it('has no link', async () => {
    expect(statusAndCode(await verify({ type: 'sms', token_hash: 'a'.repeat(56) }))).toEqual([
      400,
      'validation_failed',
      'type: Invalid email verification type',
    ])
  })
})

describe('a verified token', () => {
  it('confirms the address, in the record, its identity and its metadata', async () => {
    const message = await requests.signup()
    auth.clock.advance(60)

    const { body } = await byCode(message, 'signup')

    expect(body.user).toMatchObject({
      email_confirmed_at: now(),
      confirmed_at: now(),
      updated_at: now(),
      user_metadata: { email: message.to, email_verified: true },
      app_metadata: { provider: 'email', providers: ['email'] },
    })
    expect(body.user.identities).toHaveLength(1)
    expect(body.user.identities[0].identity_data).toMatchObject({ email_verified: true })
    expect(claimsOf(body.access_token).amr).toEqual([expect.objectContaining({ method: 'otp' })])
  })

  it('keeps the time of the first confirmation', async () => {
    const message = await requests.magiclink()
    const confirmedAt = now()
    auth.clock.advance(60)

    const { body } = await byCode(message, 'magiclink')

    expect(body.user).toMatchObject({ email_confirmed_at: confirmedAt, last_sign_in_at: now() })
  })

  it('revokes every other link and code of the user', async () => {
    const message = await requests.signup()
    await auth.post('/recover', { email: message.to })
    const other = await auth.messageTo(message.to)

    await byCode(message, 'signup')

    expect(statusAndCode(await byHash(other, 'recovery'))).toEqual(linkExpired)
  })

  it.each([
    ['signup', 'user_signedup', { provider: 'email' }],
    ['invite', 'user_signedup', { provider: 'email' }],
    ['magiclink', 'login', null],
    ['recovery', 'login', null],
  ] as const)('for %s is recorded as %s', async (type, action, traits) => {
    const message = await requests[type]()

    const { body } = await byCode(message, type)

    expect(await entries(body.user.id, action)).toEqual([{ traits }])
  })
})

describe('a password that is submitted with the token', () => {
  it('is set for a user who has none', async () => {
    const { to, code } = await requests.invite()

    await verify({ type: 'invite', token: code, email: to, password: 'a first password' })

    expect(await signInStatus(to, 'a first password')).toBe(200)
  })

  it('does not change an existing one', async () => {
    const { to, code } = await requests.recovery()

    await verify({ type: 'recovery', token: code, email: to, password: 'another password' })

    expect(await signInStatus(to, testPassword)).toBe(200)
    expect(await signInStatus(to, 'another password')).toBe(400)
  })

  it('replaces one that the proof removes', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: 'the password of Eve' })
    await auth.post('/otp', { email })
    const { code } = await auth.messageTo(email)

    await verify({ type: 'email', token: code, email, password: 'the password of Ada' })

    expect(await signInStatus(email, 'the password of Eve')).toBe(400)
    expect(await signInStatus(email, 'the password of Ada')).toBe(200)
  })

  it('is rejected for the first of two confirmations, which opens no session', async () => {
    const [email, next] = [newEmail(), newEmail()]
    await auth.auth.admin.createUser({ email, emailConfirm: true })
    await auth.post('/magiclink', { email })
    const { body: session } = await byCode(await auth.messageTo(email), 'magiclink')
    await auth.put('/user', { email: next }, { token: session.access_token })
    const { hash } = await auth.messageTo(next)

    const submitted = { type: 'email_change', token_hash: hash }
    const rejected = await verify({ ...submitted, password: 'a first password' })

    const msg = 'password: is not set by the first of two confirmations'
    expect(statusAndCode(rejected)).toEqual([422, 'validation_failed', msg])
    expect((await verify(submitted)).body.code).toBe('200')
  })

  it('must be a strong one, or nothing is consumed', async () => {
    const message = await requests.invite()

    const weak = await verify({ type: 'invite', token_hash: message.hash, password: 'abc' })

    expect([weak.status, weak.body.error_code]).toEqual([422, 'weak_password'])
    expect((await byHash(message, 'invite')).status).toBe(200)
  })
})

describe('checks of a request', () => {
  const failed = (msg: string, status = 400) => [status, 'validation_failed', msg]
  it.each<[object, unknown[]]>([
    [{}, failed('type: Verify requires a verification type')],
    [{ type: 'signup' }, failed('token: Verify requires either a token or a token hash')],
    [
      { type: 'signup', token: '1', token_hash: '2' },
      failed('token: Verify requires either a token or a token hash'),
    ],
    [
      { type: 'signup', token: '123456' },
      failed('email: Only an email address or phone number should be provided on verify'),
    ],
    [
      { type: 'signup', token: '123456', email: 'a@b.test', phone: '+15550001' },
      failed('email: Only an email address or phone number should be provided on verify'),
    ],
    [
      { type: 'signup', token: '123456', email: 'no address' },
      failed('email: Invalid email format', 422),
    ],
    [
      { type: 'sms', token: '123456', phone: 'no number' },
      failed('Invalid phone number format (E.164 required)'),
    ],
    ...[{ email: 'a@b.test' }, { phone: '+15550001' }, { redirect_to: '/' }].map(
      (more): [object, unknown[]] => [
        { type: 'signup', token_hash: 'x', ...more },
        failed('token_hash: Only the token_hash and type should be provided'),
      ],
    ),
    [{ type: 'nonsense', token_hash: 'x' }, failed('type: Invalid email verification type')],
    [{ type: 'constructor', token_hash: 'x' }, failed('type: Invalid email verification type')],
    [{ type: 'nonsense', token: '123456', email: 'a@b.test' }, expired],
    [{ type: 'signup', token: '123456', email: 'nobody@b.test' }, expired],
    [{ type: 'signup', token_hash: 'a'.repeat(56) }, linkExpired],
  ])('%j', async (body, answer) => {
    expect(statusAndCode(await verify(body))).toEqual(answer)
  })
})

const now = () => auth.clock.now().toISOString()

const signInStatus = async (email: string, password: string) =>
  (await auth.post('/token?grant_type=password', { email, password })).status

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

const actions: Record<string, number> = { login: 1, user_signedup: 3, user_modified: 6 }

const entries = (userId: string, action: string) =>
  auth.rows('select traits from auth.audit_entries where actor_id = $1 and action = $2', [
    userId,
    actions[action],
  ])
