import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'
import type { SendEmailPayload, SendSmsPayload } from '../../platform/config/sections/hooks.ts'

// The messages are passed to functions that store them.

let auth: TestAuth
const mails: SendEmailPayload[] = []
const texts: SendSmsPayload[] = []
let people = 0

const newEmail = () => `person${++people}@example.test`
const newPhone = () => `4915550${String(++people).padStart(4, '0')}`

beforeAll(async () => {
  auth = await startTestAuth({
    ...withoutAutoconfirm,
    security: { passwordUpdate: { requireReauthentication: true } },
    hooks: {
      sendEmail: async (payload) => void mails.push(payload),
      sendSms: async (payload) => void texts.push(payload),
    },
  })
})
afterAll(() => auth.close())
beforeEach(() => {
  mails.length = 0
  texts.length = 0
})

const outbox = async () => (await auth.deps()).outbox.settled()

/** Returns the content of the only mail since the test began. */
async function mailed() {
  await outbox()
  expect(mails).toHaveLength(1)
  return (mails.pop() as SendEmailPayload).email_data
}

async function texted() {
  await outbox()
  expect(texts).toHaveLength(1)
  return (texts.pop() as SendSmsPayload).sms
}

const fragmentOf = (url: string) =>
  Object.fromEntries(new URLSearchParams(new URL(url).hash.slice(1)))

describe('a sign-up', () => {
  it('is confirmed by the code in its mail, once', async () => {
    const { api } = auth.auth
    const email = newEmail()

    const waiting = await api.signUp({ email, password: testPassword })
    const { token } = await mailed()
    const proved = await api.verifyOtp({ type: 'signup', email, token })
    const again = api.verifyOtp({ type: 'signup', email, token })
    await expect(again).rejects.toMatchObject({ code: 'otp_expired', status: 403 })

    expect(waiting).toMatchObject({ user: { email, emailConfirmedAt: null }, session: null })
    expect(proved).toMatchObject({ type: 'signup', user: { id: waiting.user.id, email } })
    expect(proved.user.emailConfirmedAt).toEqual(auth.clock.now())
    expect(await api.getUser({ accessToken: proved.session?.accessToken ?? '' })).toEqual(
      proved.user,
    )
  })

  it('is confirmed by its link, which leads to the requested target', async () => {
    const { api } = auth.auth
    const redirectTo = 'https://app.example.test/welcome'

    await api.signUp({ email: newEmail(), password: testPassword, redirectTo })
    const { token_hash: token, redirect_to: stated } = await mailed()
    const followed = await api.followLink({ type: 'signup', token, redirectTo: stated })

    expect(stated).toBe(redirectTo)
    expect(followed.redirectTo).toMatch(/^https:\/\/app\.example\.test\/welcome#access_token=/)
    const { access_token: accessToken = '' } = fragmentOf(followed.redirectTo)
    await expect(api.getUser({ accessToken })).resolves.toMatchObject({ role: 'authenticated' })
  })

  it('is sent again, which revokes the earlier mail', async () => {
    const { api } = auth.auth
    const email = newEmail()
    await api.signUp({ email, password: testPassword })
    const { token_hash: earlier } = await mailed()

    const { messageId } = await api.resend({ type: 'signup', email })

    const { token_hash: later } = await mailed()
    const [message] = await auth.rows('select kind from auth.outbox_messages where id = $1', [
      messageId,
    ])
    expect(message).toEqual({ kind: 'confirmation' })
    const byEarlier = api.verifyOtp({ type: 'signup', tokenHash: earlier })
    await expect(byEarlier).rejects.toMatchObject({ code: 'otp_expired' })
    await expect(api.verifyOtp({ type: 'signup', tokenHash: later })).resolves.toMatchObject({
      user: { email },
    })
  })

  it('by phone is confirmed by the code of its SMS, through the requested channel', async () => {
    const { api } = auth.auth
    const phone = newPhone()

    await api.signUp({ phone, password: testPassword, channel: 'whatsapp' })
    const { otp } = await texted()
    const { user } = await api.verifyOtp({ type: 'sms', phone, token: otp })

    expect(user).toMatchObject({ phone, phoneConfirmedAt: auth.clock.now() })
  })
})

describe('a sign-in by message', () => {
  it('creates an account for an unknown address, unless that is disabled', async () => {
    const { api } = auth.auth
    const email = newEmail()

    const refused = api.signInWithOtp({ email, createUser: false })
    await expect(refused).rejects.toMatchObject({ code: 'otp_disabled', status: 422 })
    await api.signInWithOtp({ email, data: { name: 'Ada' } })

    const { token } = await mailed()
    const { user, session } = await api.verifyOtp({ type: 'email', email, token })
    expect(user).toMatchObject({ email, userMetadata: { name: 'Ada' } })
    expect(session?.accessToken).toEqual(expect.any(String))
  })

  it('ends in a code with a code challenge, for which its verifier gets a session', async () => {
    const { api } = auth.auth
    const { email } = await auth.given.user(newEmail())
    const codeVerifier = 'v'.repeat(43)
    const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

    await api.signInWithOtp({
      email: email ?? '',
      codeChallenge,
      codeChallengeMethod: 's256',
      redirectTo: 'https://app.example.test/in?from=mail',
    })
    const { token_hash: token, redirect_to: redirectTo } = await mailed()
    const followed = await api.followLink({ type: 'magiclink', token, redirectTo })
    const target = new URL(followed.redirectTo)
    const authCode = target.searchParams.get('code') ?? ''

    expect(target.searchParams.get('from')).toBe('mail')
    const wrong = api.exchangeCodeForSession({ authCode, codeVerifier: 'w'.repeat(43) })
    await expect(wrong).rejects.toMatchObject({ code: 'bad_code_verifier', status: 400 })
    const signedIn = await api.exchangeCodeForSession({ authCode, codeVerifier })
    expect(signedIn.user.email).toBe(email)
    const again = api.exchangeCodeForSession({ authCode, codeVerifier })
    await expect(again).rejects.toMatchObject({ code: 'flow_state_not_found', status: 404 })
  })

  it('by SMS sends a code', async () => {
    const { api } = auth.auth
    const phone = newPhone()

    const { messageId } = await api.signInWithOtp({ phone })

    const { otp } = await texted()
    expect(messageId).toMatch(/^[0-9a-f-]{36}$/)
    const { session, type } = await api.verifyOtp({ type: 'sms', phone, token: otp })
    expect([session?.expiresInSeconds, type]).toEqual([3600, 'sms'])
  })

  it('for a lost password permits a new one', async () => {
    const { api } = auth.auth
    const { email } = await auth.given.user(newEmail())

    await api.resetPasswordForEmail({ email: email ?? '' })
    const { token_hash: tokenHash } = await mailed()
    const { session, type } = await api.verifyOtp({ type: 'recovery', tokenHash })

    expect(type).toBe('recovery')
    expect(session?.accessToken).toEqual(expect.any(String))
  })

  it('for a lost password sends nothing to an unknown address', async () => {
    await auth.auth.api.resetPasswordForEmail({ email: newEmail() })
    await auth.auth.api.resend({ type: 'signup', email: newEmail() })

    await outbox()
    expect(mails).toEqual([])
  })

  it('leads to the site where the requested target is not permitted', async () => {
    const { api } = auth.auth
    const redirectTo = 'https://evil.test/'

    await api.signInWithOtp({ email: newEmail(), redirectTo })
    const { redirect_to: stated, token_hash: token } = await mailed()
    const followed = await api.followLink({ type: 'signup', token, redirectTo })

    expect(stated).toBe('https://app.example.test')
    expect(new URL(followed.redirectTo).origin).toBe('https://app.example.test')
  })
})

describe('a change by the user', () => {
  it('of the email waits for both addresses', async () => {
    const { api } = auth.auth
    const { accessToken, user } = await auth.given.session(newEmail())
    const email = newEmail()

    const waiting = await api.updateUser({ accessToken, email })
    await outbox()
    const [{ email_data: mail } = {} as SendEmailPayload] = mails
    const first = await api.verifyOtp({ type: 'email_change', tokenHash: mail.token_hash })
    const second = await api.verifyOtp({ type: 'email_change', tokenHash: mail.token_hash_new })

    expect(waiting).toMatchObject({ email: user.email, newEmail: email })
    expect(first).toMatchObject({ user: { email: user.email, newEmail: email }, session: null })
    expect(second).toMatchObject({ type: 'email_change', user: { email, newEmail: null } })
    expect(second.session).not.toBeNull()
  })

  it('of the phone waits for the code', async () => {
    const { api } = auth.auth
    const { accessToken } = await auth.given.session(newEmail())
    const phone = newPhone()

    const waiting = await api.updateUser({ accessToken, phone: `+${phone}` })
    const { otp } = await texted()
    const proved = await api.verifyOtp({ type: 'phone_change', phone, token: otp })

    expect(waiting).toMatchObject({ phone: null, newPhone: phone })
    expect(proved.user).toMatchObject({ phone, newPhone: null })
  })

  it('of the password accepts the requested code', async () => {
    const { api } = auth.auth
    const { accessToken, user } = await auth.given.session(newEmail())
    const password = 'a brand new password'

    const without = api.updateUser({ accessToken, password })
    await expect(without).rejects.toMatchObject({ code: 'reauthentication_needed', status: 400 })
    const { messageId } = await api.reauthenticate({ accessToken })
    const { token } = await mailed()
    const wrong = api.updateUser({ accessToken, password, nonce: `${token}1` })
    await expect(wrong).rejects.toMatchObject({ code: 'reauthentication_not_valid', status: 422 })
    await api.updateUser({ accessToken, password, nonce: token })

    expect(messageId).toMatch(/^[0-9a-f-]{36}$/)
    const signIn = api.signInWithPassword({ email: user.email ?? '', password })
    await expect(signIn).resolves.toMatchObject({ user: { id: user.id } })
  })
})

describe('an operator', () => {
  it('invites a user, who accepts by the link', async () => {
    const { admin, api } = auth.auth
    const email = newEmail()

    const invited = await admin.inviteUser({ email, data: { team: 'x' } })
    const { token_hash: tokenHash } = await mailed()
    const { user, type } = await api.verifyOtp({
      type: 'invite',
      tokenHash,
      password: testPassword,
    })

    expect(invited).toMatchObject({ email, invitedAt: auth.clock.now(), emailConfirmedAt: null })
    expect(type).toBe('invite')
    expect(user).toMatchObject({ id: invited.id, userMetadata: { team: 'x' } })
    await expect(admin.inviteUser({ email })).rejects.toMatchObject({ code: 'email_exists' })
    const signIn = api.signInWithPassword({ email, password: testPassword })
    await expect(signIn).resolves.toMatchObject({ user: { id: user.id } })
  })

  it('generates a link to send, and no mail', async () => {
    const { admin, api } = auth.auth
    const user = await auth.given.user(newEmail())
    const redirectTo = 'https://app.example.test/home'

    const link = await admin.generateLink({
      type: 'magiclink',
      email: user.email ?? '',
      redirectTo,
    })
    await outbox()
    const { searchParams } = new URL(link.actionLink)
    const { user: byCode } = await api.verifyOtp({
      type: 'email',
      email: user.email ?? '',
      token: link.emailOtp,
    })

    expect(mails).toEqual([])
    expect(byCode.id).toBe(user.id)
    expect(link).toMatchObject({ verificationType: 'magiclink', redirectTo, user: { id: user.id } })
    expect(Object.fromEntries(searchParams)).toEqual({
      token: link.hashedToken,
      type: 'magiclink',
      redirect_to: redirectTo,
    })
  })

  it('has the link mailed as well', async () => {
    const { email } = await auth.given.user(newEmail())

    const link = await auth.auth.admin.generateLink({
      type: 'recovery',
      email: email ?? '',
      sendEmail: true,
    })

    expect(await mailed()).toMatchObject({ token_hash: link.hashedToken, token: link.emailOtp })
  })

  it.each([
    ['inviteUser', { email: 'no address' }, 'validation_failed'],
    ['generateLink', { type: 'nothing', email: 'a@x.test' }, 'validation_failed'],
    ['generateLink', { type: 'recovery', email: 'nobody@x.test' }, 'user_not_found'],
    ['generateLink', { type: 'signup', email: 'a@x.test' }, 'validation_failed'],
    ['generateLink', { type: 'signup', email: 'a@x.test', password: 'abc' }, 'weak_password'],
  ] as const)('%s of %j is rejected: %s', async (method, input, code) => {
    const call = auth.auth.admin[method](input as never)

    await expect(call).rejects.toMatchObject({ name: 'AuthError', code })
  })
})

describe('methods and endpoints', () => {
  it('share one send interval', async () => {
    const limited = await startTestAuth({
      ...withoutAutoconfirm,
      email: { ...withoutAutoconfirm.email, maxFrequencySeconds: 60 },
    })
    const email = newEmail()
    const ip = '203.0.113.7'
    await limited.auth.api.signInWithOtp({ email }, { ip })

    const call = limited.auth.api.resetPasswordForEmail({ email }, { ip })
    await expect(call).rejects.toMatchObject({
      code: 'over_email_send_rate_limit',
      status: 429,
      details: { retryAfterSeconds: 60 },
    })
    const answer = await limited.post('/magiclink', { email }, { ip })
    await limited.close()

    expect(answer).toMatchObject({
      status: 429,
      body: { error_code: 'over_email_send_rate_limit' },
    })
  })

  it.each([
    ['signInWithOtp', { email: 'a@x.test', phone: '+491234567' }, 'validation_failed'],
    ['signInWithOtp', { email: 'a@x.test', codeChallenge: 'short' }, 'validation_failed'],
    ['resetPasswordForEmail', { email: 'no address' }, 'validation_failed'],
    ['resend', { type: 'recovery', email: 'a@x.test' }, 'validation_failed'],
    ['verifyOtp', { type: 'signup', tokenHash: 'unknown' }, 'otp_expired'],
    ['verifyOtp', { type: 'signup', email: 'a@x.test', token: '000000' }, 'otp_expired'],
    ['verifyOtp', { type: 'nothing', tokenHash: 'unknown' }, 'validation_failed'],
    ['followLink', { type: 'signup' }, 'validation_failed'],
    ['exchangeCodeForSession', { authCode: 'x' }, 'validation_failed'],
    ['reauthenticate', { accessToken: 'x' }, 'bad_jwt'],
    ['updateUser', { accessToken: 'x', email: 'a@x.test' }, 'bad_jwt'],
  ] as const)('%s of %j is rejected: %s', async (method, input, code) => {
    const call = auth.auth.api[method](input as never)

    await expect(call).rejects.toMatchObject({ name: 'AuthError', code })
  })

  it('report an invalid link in the URL that it leads to', async () => {
    const followed = await auth.auth.api.followLink({ type: 'recovery', token: 'unknown' })

    expect(fragmentOf(followed.redirectTo)).toMatchObject({
      error: 'access_denied',
      error_code: 'otp_expired',
    })
  })
})
