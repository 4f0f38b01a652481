import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

let auth: MessagingAuth
/** Requires the confirmation of the new address only. */
let simple: MessagingAuth

beforeAll(async () => {
  const email = { autoconfirm: false, maxFrequencySeconds: 0 }
  const notifications = { emailChanged: true, phoneChanged: true, identityLinked: true }
  auth = await startMessagingAuth({ email: { ...email, notifications } })
  simple = await startMessagingAuth({ email: { ...email, secureChangeEnabled: false } })
})
afterAll(() => Promise.all([auth.close(), simple.close()]))

let made = 0
const newEmail = () => `change-${++made}@example.test`
const newPhone = () => `49158${String(++made).padStart(8, '0')}`
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
const halfway = {
  code: '200',
  msg: 'Confirmation link accepted. Please proceed to confirm link sent to the other email',
}

async function signedIn(on = auth) {
  const { user, accessToken: token } = await on.given.session(newEmail())
  return {
    token,
    id: user.id,
    email: user.email ?? '',
    change: (body: object) => on.put('/user', body, { token }),
    now: async () => (await on.get('/user', { token })).body,
  }
}
const verify = (body: object, on = auth) => on.post('/verify', body)

describe('a new email', () => {
  it('is pending, and both addresses get a code and link of their own', async () => {
    const { email, change } = await signedIn()
    const wanted = newEmail()

    const { status, body } = await change({ email: wanted.toUpperCase() })

    const [old, fresh] = [await auth.messageTo(email), await auth.messageTo(wanted)]
    expect([status, body.email, body.new_email]).toEqual([200, email, wanted])
    expect(body.email_change_sent_at).toBe(auth.clock.now().toISOString())
    expect([old.type, fresh.type]).toEqual(['email_change', 'email_change'])
    expect(old.hash).not.toBe(fresh.hash)
  })

  it.each([
    ['the new address first', true],
    ['the current address first', false],
  ])('is stored once both have confirmed, %s', async (_case, newFirst) => {
    const { id, email, change, token } = await signedIn()
    const wanted = newEmail()
    await change({ email: wanted })
    const mails = [await auth.messageTo(wanted), await auth.messageTo(email)]
    const [first, second] = newFirst ? mails : mails.toReversed()
    const byCode = ({ to, code } = first as NonNullable<typeof first>) =>
      verify({ type: 'email_change', token: code, email: to })

    const yes = await byCode(first)
    const waiting = await auth.get('/user', { token })
    const done = await byCode(second)

    expect([yes.status, yes.body]).toEqual([200, halfway])
    expect([waiting.body.email, waiting.body.new_email]).toEqual([email, wanted])
    expect([done.status, done.body.type, done.body.user.id]).toEqual([200, 'email_change', id])
    expect(done.body.user).toMatchObject({
      email: wanted,
      last_sign_in_at: auth.clock.now().toISOString(),
      identities: [{ identity_data: { email: wanted, email_verified: true } }],
    })
    expect(done.body.user).not.toHaveProperty('new_email')
    expect(done.body.user).not.toHaveProperty('email_change_sent_at')
    const notice = (await auth.messagesTo(email)).at(-1)
    expect(notice?.type).toBe('email_changed_notification')
    const entries = await auth.rows(
      'select id from auth.audit_entries where actor_id = $1 and action = 6',
      [id],
    )
    // The request, and either confirmation.
    expect(entries).toHaveLength(3)
  })

  it('is confirmed by links as well, in PKCE too', async () => {
    const { email, change } = await signedIn()
    const wanted = newEmail()
    const verifier = 'v'.repeat(43)
    await change({ email: wanted, code_challenge: verifier, code_challenge_method: 'plain' })

    const first = await auth.follow(await auth.messageTo(email))
    const second = await auth.follow(await auth.messageTo(wanted))
    const { status, body } = await auth.post('/token?grant_type=pkce', {
      auth_code: second.url?.searchParams.get('code'),
      code_verifier: verifier,
    })

    expect(first.url?.searchParams.get('message')).toBe(halfway.msg)
    expect(first.fragment.get('message')).toBe(halfway.msg)
    expect([status, body.user.email]).toEqual([200, wanted])
  })

  it('is not stored when one address confirms twice', async () => {
    const { email, change } = await signedIn()
    await change({ email: newEmail() })
    const mail = await auth.messageTo(email)

    const answers = [await auth.follow(mail), await auth.follow(mail)]

    expect(answers.map(({ fragment }) => fragment.get('error_code'))).toEqual([null, 'otp_expired'])
  })

  it('is stored once when both confirm concurrently', async () => {
    for (let round = 0; round < 5; round++) {
      const { email, change } = await signedIn()
      const wanted = newEmail()
      await change({ email: wanted })
      const mails = [await auth.messageTo(wanted), await auth.messageTo(email)]

      const answers = await Promise.all(
        mails.map(({ hash }) => verify({ type: 'email_change', token_hash: hash })),
      )

      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.filter(({ body }) => body.access_token)).toHaveLength(1)
      expect(answers.filter(({ body }) => body.code === '200')).toHaveLength(1)
    }
  })

  it('T06: is the latest requested one; links of the earlier request are rejected', async () => {
    const { email, change, now } = await signedIn()
    const [first, second] = [newEmail(), newEmail()]
    await change({ email: first })
    const old = [await auth.messageTo(first), await auth.messageTo(email)]
    await change({ email: second })

    const refused = await Promise.all(old.map((mail) => auth.follow(mail)))

    expect(refused.map(({ fragment }) => fragment.get('error_code'))).toEqual([
      'otp_expired',
      'otp_expired',
    ])
    expect(await now()).toMatchObject({ email, new_email: second })
  })

  it('T06: starts again after the earlier request was half confirmed', async () => {
    const { email, change } = await signedIn()
    const [first, second] = [newEmail(), newEmail()]
    await change({ email: first })
    await auth.follow(await auth.messageTo(email))
    await change({ email: second })

    const { fragment } = await auth.follow(await auth.messageTo(second))

    expect(fragment.get('message')).toBe(halfway.msg)
  })

  it('T41: revokes every other link and code', async () => {
    const { email, change } = await signedIn()
    const wanted = newEmail()
    await auth.post('/recover', { email })
    const recovery = await auth.messageTo(email)
    await change({ email: wanted })
    await auth.follow(await auth.messageTo(email))
    await auth.follow(await auth.messageTo(wanted))

    const { fragment } = await auth.follow(recovery)

    expect(fragment.get('error_code')).toBe('otp_expired')
  })

  it('is rejected if another user has it by then', async () => {
    const { email, change, now } = await signedIn()
    const wanted = newEmail()
    await change({ email: wanted })
    await auth.follow(await auth.messageTo(email))
    await auth.given.user(wanted)
    const mail = await auth.messageTo(wanted)

    const { fragment } = await auth.follow(mail)
    const posted = await verify({ type: 'email_change', token_hash: mail.hash })

    expect(fragment.get('error_code')).toBe('email_exists')
    expect(statusAndCode(posted)).toEqual([422, 'email_exists'])
    expect((await now()).email).toBe(email)
  })

  it('requires one confirmation, where the operator configures that', async () => {
    const { email, change } = await signedIn(simple)
    const wanted = newEmail()
    await change({ email: wanted })

    const { code } = await simple.messageTo(wanted)
    const done = await verify({ type: 'email_change', token: code, email: wanted }, simple)

    expect(await simple.messagesTo(email)).toEqual([])
    expect(done.body.user.email).toBe(wanted)
  })

  it('requires one confirmation from a user without an email', async () => {
    const phone = newPhone()
    await auth.auth.admin.createUser({ phone, phoneConfirm: true, password: testPassword })
    const { session } = await auth.auth.api.signInWithPassword({ phone, password: testPassword })
    const wanted = newEmail()
    await auth.put('/user', { email: wanted }, { token: session.accessToken })

    const { fragment } = await auth.follow(await auth.messageTo(wanted))
    const { body } = await auth.get('/user', { token: fragment.get('access_token') ?? '' })

    expect(body).toMatchObject({
      email: wanted,
      phone,
      email_confirmed_at: auth.clock.now().toISOString(),
      app_metadata: { provider: 'phone', providers: ['phone', 'email'] },
    })
  })
})

describe('a new phone', () => {
  it('is pending until its code is verified', async () => {
    const { id, email, change } = await signedIn()
    const phone = newPhone()
    auth.clock.advance(60)

    const requested = await change({ phone: `+${phone}` })
    const { code } = await auth.messageTo(phone)
    const { status, body } = await verify({ type: 'phone_change', token: code, phone })

    expect(requested.body).toMatchObject({ phone: '', new_phone: phone })
    expect([status, body.type, body.user.id]).toEqual([200, 'phone_change', id])
    expect(body.user).toMatchObject({ phone, phone_confirmed_at: auth.clock.now().toISOString() })
    expect(body.user.identities).toContainEqual(
      expect.objectContaining({
        provider: 'phone',
        identity_data: expect.objectContaining({ phone, phone_verified: true }),
      }),
    )
    expect((await auth.messageTo(email)).type).toBe('identity_linked_notification')
  })

  it('is confirmed again after another one', async () => {
    const { id, email, change } = await signedIn()
    const [old, fresh] = [newPhone(), newPhone()]
    await auth.auth.admin.updateUser(id, { phone: old, phoneConfirm: true })
    auth.clock.advance(60)
    await change({ phone: fresh })
    const { code } = await auth.messageTo(fresh)

    const { body } = await verify({ type: 'phone_change', token: code, phone: fresh })

    expect(body.user.phone_confirmed_at).toBe(auth.clock.now().toISOString())
    expect((await auth.messageTo(email)).type).toBe('phone_changed_notification')
  })

  it('is rejected if another user has it by then', async () => {
    const { change } = await signedIn()
    const phone = newPhone()
    await change({ phone })
    const { code } = await auth.messageTo(phone)
    await auth.auth.admin.createUser({ phone, phoneConfirm: true })

    expect(statusAndCode(await verify({ type: 'phone_change', token: code, phone }))).toEqual([
      422,
      'phone_exists',
    ])
  })

  it('is stored at once with autoconfirm, and revokes earlier messages', async () => {
    const trusting = await startMessagingAuth({ sms: { autoconfirm: true } })
    const { email, change, id } = await signedIn(trusting)
    await trusting.post('/recover', { email })
    const phone = newPhone()

    const { body } = await change({ phone })
    const { fragment } = await trusting.follow(await trusting.messageTo(email))
    const pending = await trusting.rows('select new_phone from auth.users where id = $1', [id])
    await trusting.close()

    const confirmedAt = trusting.clock.now().toISOString()
    expect(body).toMatchObject({ phone, phone_confirmed_at: confirmedAt })
    expect(fragment.get('error_code')).toBe('otp_expired')
    expect(pending).toEqual([{ new_phone: null }])
  })
})

describe('a new password', () => {
  it.each([
    ['signup', (email: string) => auth.post('/resend', { type: 'signup', email })],
    ['recovery', (email: string) => auth.post('/recover', { email })],
    ['magiclink', (email: string) => auth.post('/magiclink', { email })],
  ])('T41: revokes links for %s', async (type, ask) => {
    const { id, email, change } = await signedIn()
    if (type === 'signup') {
      await auth.rows('update auth.users set email_confirmed_at = null where id = $1', [id])
    }
    await ask(email)
    const mail = await auth.messageTo(email)

    await change({ password: 'a brand new password' })

    expect([mail.type, (await auth.follow(mail)).fragment.get('error_code')]).toEqual([
      type,
      'otp_expired',
    ])
  })

  it('T41: revokes a pending change of address, but not one of the same request', async () => {
    const { email, change } = await signedIn()
    const [phone, wanted] = [newPhone(), newEmail()]
    await change({ phone })
    const { code } = await auth.messageTo(phone)

    await change({ password: 'a brand new password', email: wanted })

    expect(statusAndCode(await verify({ type: 'phone_change', token: code, phone }))).toEqual([
      403,
      'otp_expired',
    ])
    const yes = await auth.follow(await auth.messageTo(email))
    expect(yes.fragment.get('message')).toBe(halfway.msg)
  })
})
