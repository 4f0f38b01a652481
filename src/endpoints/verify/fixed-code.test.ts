import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../../test/support/messages.ts'
import { type Answer, testPassword } from '../../../test/support/test-auth.ts'

// Test numbers, for the review and the tests of an app.

const [phone, other, late, pending] = ['15005550006', '15005550007', '15005550008', '15005550009']
const code = '424242'

let auth: MessagingAuth

beforeAll(async () => {
  auth = await startMessagingAuth({
    sms: {
      autoconfirm: false,
      maxFrequencySeconds: 60,
      testOtp: { [`+${phone}`]: code, [other]: code, [late]: code, [pending]: code },
      testOtpValidUntil: new Date('2026-03-02T00:00:00Z'),
    },
  })
})
afterAll(() => auth.close())

const enter = (token: string, to = phone, type = 'sms') =>
  auth.post('/verify', { type, token, phone: to })
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]

describe('the fixed code of a test number', () => {
  it('does not sign in an unknown user', async () => {
    expect(statusAndCode(await enter(code))).toEqual([403, 'otp_expired'])
  })

  it('is not sent', async () => {
    const { status, body } = await auth.post('/otp', { phone })

    expect([status, body]).toEqual([200, { message_id: 'test-otp' }])
    expect(await auth.messagesTo(phone)).toEqual([])
  })

  it('signs in any number of times, with or without a request', async () => {
    const first = await enter(code)
    const again = [await enter(code), await enter(code)]

    expect(first.body.user).toMatchObject({ phone, phone_confirmed_at: expect.any(String) })
    expect(again.map(({ status, body }) => [status, body.user?.id])).toEqual([
      [200, first.body.user.id],
      [200, first.body.user.id],
    ])
  })

  it('signs in with concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => enter(code)))

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })

  it('is rejected for a banned user', async () => {
    const [user] = await auth.rows('select id from auth.users where phone = $1', [phone])
    const id = String(user?.['id'])
    await auth.auth.admin.updateUser(id, { banDuration: '1h' })
    const banned = await enter(code)
    await auth.auth.admin.updateUser(id, { banDuration: 'none' })

    expect(statusAndCode(banned)).toEqual([403, 'user_banned'])
  })

  it('keeps the password of the sign-up that it confirms', async () => {
    await auth.post('/signup', { phone: other, password: testPassword })

    await enter(code, other)

    const { status } = await auth.post('/token?grant_type=password', {
      phone: other,
      password: testPassword,
    })
    expect(status).toBe(200)
  })

  it('confirms a change to the number', async () => {
    const { accessToken: token } = await auth.given.session()
    await auth.put('/user', { phone: late }, { token })

    const { body } = await enter(code, late, 'phone_change')

    expect([body.type, body.user.phone]).toEqual(['phone_change', late])
  })

  it('S144: does not confirm a change to the number that a new password has revoked', async () => {
    const { accessToken: token } = await auth.given.session()
    const requested = await auth.put('/user', { phone: pending }, { token })
    const changed = await auth.put('/user', { password: 'a new horse' }, { token })
    expect([requested.status, changed.status]).toEqual([200, 200])
    const answer = await enter(code, pending, 'phone_change')

    expect(statusAndCode(answer)).toEqual([403, 'otp_expired'])
  })

  it('permits no more guesses than others (rule 8)', async () => {
    for (let index = 0; index < 30; index++) await enter('000000', other)

    expect(statusAndCode(await enter(code, other))).toEqual([403, 'otp_expired'])
  })

  it('is rejected after its expiry', async () => {
    auth.clock.advance(86_400)

    expect(statusAndCode(await enter(code))).toEqual([403, 'otp_expired'])
  })
})

it('a change from a test number to another one spends the budget of messages', async () => {
  const limited = await startMessagingAuth({
    sms: { autoconfirm: false, maxFrequencySeconds: 0, testOtp: { [phone]: code } },
    rateLimits: { smsSent: 30 },
  })
  const { accessToken: token } = await limited.given.session()
  await limited.put('/user', { phone }, { token })
  await limited.post('/verify', { type: 'phone_change', token: code, phone })
  const newPhone = '4915755555555'

  await limited.put('/user', { phone: newPhone }, { token })
  await limited.post('/resend', { type: 'phone_change', phone })

  expect(await limited.messagesTo(newPhone)).toHaveLength(2)
  const [budget] = await limited.rows(
    "select tokens from auth.rate_limit_buckets where key like 'send-budget:sms:%'",
  )
  expect(budget).toEqual({ tokens: 28 })
  await limited.close()
})
