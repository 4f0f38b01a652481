import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `otp-${++made}@example.test`
const newPhone = () => `49155${String(++made).padStart(8, '0')}`

const statusAndCode = ({ status, body }: Answer) => [status, body.error_code, body.msg]
const now = () => auth.clock.now().toISOString()

const users = (column: 'email' | 'phone', value: string) =>
  auth.rows(`select * from auth.users where ${column} = $1`, [value])
const entries = (traits: string, action: number) =>
  auth.rows('select traits from auth.audit_entries where actor_id = $1 and action = $2', [
    traits,
    action,
  ])

describe.each(['/otp', '/magiclink'])('POST %s', (path) => {
  it('mails a magic link to a known address', async () => {
    const { id, email } = await auth.given.user(newEmail())

    const { status, body } = await auth.post(path, { email })

    const message = await auth.messageTo(email ?? '')
    expect([status, body]).toEqual([200, {}])
    expect(message).toMatchObject({ type: 'magiclink', code: expect.stringMatching(/^\d{6}$/) })
    expect(message.hash).toMatch(/^[0-9a-f]{56}$/)
    expect((await auth.auth.admin.getUser(id)).recoverySentAt?.toISOString()).toBe(now())
    expect(await entries(id, 11)).toEqual([{ traits: null }])
  })

  it('signs up an unknown address, and mails a confirmation', async () => {
    const email = newEmail()

    const { status, body } = await auth.post(path, {
      email: email.toUpperCase(),
      data: { name: 'Ada', none: null },
    })

    const [user] = await users('email', email)
    expect([status, body]).toEqual([200, {}])
    expect((await auth.messageTo(email)).type).toBe('signup')
    expect(user).toMatchObject({
      password_hash: null,
      email_confirmed_at: null,
      confirmation_sent_at: expect.stringContaining('2026-03-01'),
      user_metadata: { name: 'Ada', email, email_verified: false },
    })
    expect(user?.['user_metadata']).not.toHaveProperty('none')
    expect(await entries(String(user?.['id']), 4)).toEqual([{ traits: { provider: 'email' } }])
  })

  it('mails a confirmation to an unconfirmed user, whose metadata stays', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword, data: { name: 'Ada' } })

    await auth.post(path, { email, data: { name: 'Eve' } })

    const [user] = await users('email', email)
    expect((await auth.messagesTo(email)).map(({ type }) => type)).toEqual(['signup', 'signup'])
    expect(user?.['user_metadata']).toMatchObject({ name: 'Ada' })
  })

  it('revokes the link that it sent before', async () => {
    const { email } = await auth.given.user(newEmail())
    await auth.post(path, { email })
    const first = await auth.messageTo(email ?? '')

    await auth.post('/recover', { email })

    const { fragment } = await auth.follow(first)
    expect(fragment.get('error_code')).toBe('otp_expired')
  })

  it('looks in the audience of the request', async () => {
    const { email } = await auth.given.user(newEmail())
    await auth.auth.admin.createUser({ email: newEmail(), audience: 'elsewhere' })

    const answer = await auth.post(path, { email }, { headers: { 'x-jwt-aud': 'elsewhere' } })

    expect([answer.status, await auth.messagesTo(email ?? '')]).toEqual([200, []])
    expect(await users('email', email ?? '')).toHaveLength(1)
  })
})

describe('POST /otp with a phone', () => {
  it('texts a code to a known phone, and returns the id of the message', async () => {
    const phone = newPhone()
    const { id } = await auth.auth.admin.createUser({ phone, phoneConfirm: true })

    const { status, body } = await auth.post('/otp', { phone: `+${phone}` })

    const { code } = await auth.messageTo(phone)
    const [message] = await auth.rows('select kind from auth.outbox_messages where id = $1', [
      body.message_id,
    ])
    const { body: session } = await auth.post('/verify', { type: 'sms', token: code, phone })
    expect([status, message, session.user.id]).toEqual([200, { kind: 'confirmation' }, id])
    expect(await entries(id, 11)).toEqual([{ traits: { channel: 'sms' } }])
  })

  it('signs up an unknown address, with the same response', async () => {
    const phone = newPhone()

    const { status, body } = await auth.post('/otp', { phone, data: { name: 'Ada' } })

    const [user] = await users('phone', phone)
    expect([status, Object.keys(body)]).toEqual([200, ['message_id']])
    expect(user).toMatchObject({ phone_confirmed_at: null, user_metadata: { name: 'Ada' } })
    expect((await auth.messageTo(phone)).code).toMatch(/^\d{6}$/)
  })
})

describe('create_user: false', () => {
  it.each([{ email: 'nobody@example.test' }, { phone: '4915500000000' }, { email: 'no address' }])(
    'rejects %j, which has no user',
    async (address) => {
      expect(statusAndCode(await auth.post('/otp', { ...address, create_user: false }))).toEqual([
        422,
        'otp_disabled',
        'Signups not allowed for otp',
      ])
    },
  )

  it('sends a sign-in to a known address', async () => {
    const { email } = await auth.given.user(newEmail())

    expect((await auth.post('/otp', { email, create_user: false })).status).toBe(200)
    expect((await auth.messageTo(email ?? '')).type).toBe('magiclink')
  })
})

describe('checks of a request', () => {
  const failed = (msg: string) => [400, 'validation_failed', msg]
  const challenge = 'c'.repeat(43)

  it.each<[object, unknown[]]>([
    [
      { email: 'a@b.test', phone: '+15550001' },
      failed('Only an email address or phone number should be provided'),
    ],
    [
      { email: 'a@b.test', channel: 'sms' },
      failed('channel: Channel should only be specified with Phone OTP'),
    ],
    [{}, failed('email: One of email or phone must be set')],
    [{ email: 'no address' }, failed('email: Unable to validate email address: invalid format')],
    [{ phone: 'no number' }, failed('Invalid phone number format (E.164 required)')],
    [
      { email: 'a@b.test', code_challenge: challenge },
      failed('code_challenge: PKCE flow requires code_challenge_method and code_challenge'),
    ],
    [
      { email: 'a@b.test', code_challenge: 'c', code_challenge_method: 's256' },
      failed('code_challenge: has to be between 43 and 128 characters'),
    ],
    [
      { email: 'a@b.test', code_challenge: challenge, code_challenge_method: 'md5' },
      failed('code_challenge_method: has to be s256 or plain'),
    ],
  ])('%j', async (body, answer) => {
    expect(statusAndCode(await auth.post('/otp', body))).toEqual(answer)
  })

  it('of a magic link without an address', async () => {
    expect(statusAndCode(await auth.post('/magiclink', {}))).toEqual([
      422,
      'validation_failed',
      'email: Password recovery requires an email',
    ])
  })

  it.each([
    ['email', { email: { enabled: false } }, 422, 'email_provider_disabled'],
    ['email', { email: { magicLinkEnabled: false } }, 422, 'email_provider_disabled'],
    ['phone', { phone: { enabled: false } }, 400, 'phone_provider_disabled'],
    ['email', { signUp: { disabled: true } }, 422, 'signup_disabled'],
    [
      'email',
      { email: { authorizedAddresses: ['a@b.test'] } },
      400,
      'email_address_not_authorized',
    ],
    ['phone', { sms: { allowedPrefixes: ['+1'] } }, 422, 'sms_send_failed'],
  ])('an %s where it is %j', async (kind, config, status, code) => {
    const strict = await startMessagingAuth(config)
    const address = kind === 'email' ? { email: newEmail() } : { phone: newPhone() }

    const answer = await strict.post('/otp', address)
    const stored = await strict.rows('select id from auth.users')
    await strict.close()

    expect([answer.status, answer.body.error_code, stored]).toEqual([status, code, []])
  })
})

describe('with autoconfirm', () => {
  it('signs up and mails a magic link, which is the first confirmation', async () => {
    const trusting = await startMessagingAuth({ email: { autoconfirm: true } })
    const email = newEmail()

    await trusting.post('/otp', { email })
    const message = await trusting.messageTo(email)
    const [user] = await trusting.rows('select email_confirmed_at from auth.users')
    const { fragment } = await trusting.follow(message)
    await trusting.close()

    expect(message.type).toBe('magiclink')
    expect(user?.['email_confirmed_at']).not.toBeNull()
    expect(fragment.get('type')).toBe('magiclink')
  })
})
