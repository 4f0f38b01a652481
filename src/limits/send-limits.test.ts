import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../test/support/messages.ts'
import type { Answer, TestAuth } from '../../test/support/test-auth.ts'

// Design §3, "Send limits": the frequency of messages.

let auth: MessagingAuth
/** With intervals, without a budget. */
let slow: MessagingAuth
let beside: Pick<TestAuth, 'request' | 'close'>

const off = { tokenRefresh: 'off', otp: 'off', verify: 'off' } as const

beforeAll(async () => {
  auth = await startMessagingAuth({
    email: { autoconfirm: false },
    sms: { autoconfirm: false },
    rateLimits: { ...off, emailSent: 4, smsSent: 2 },
  })
  slow = await startMessagingAuth({
    email: { autoconfirm: false },
    sms: { autoconfirm: false },
    rateLimits: { ...off, emailSent: 'off', smsSent: 'off' },
  })
  beside = await auth.beside()
})
afterAll(() => Promise.all([beside.close(), auth.close(), slow.close()]))
// Every budget is full again.
beforeEach(() => {
  auth.clock.advance(3600)
  slow.clock.advance(3600)
})

interface Addresses {
  email: string
  phone: string
}

let made = 0
const newEmail = () => `often-${++made}@example.test`
const newPhone = () => `49160${String(++made).padStart(8, '0')}`
const password = 'correct horse'
const statusAndCode = ({ status, body }: Answer) => [status, body.error_code]
/** A response without the values that differ in each request. */
const revealing = ({ status, headers, body }: Answer) => ({
  status,
  headers: [...headers.keys()],
  retryAfter: headers.get('retry-after'),
  body: { ...body, request_id: null },
})
const tooOften = (kind: 'email' | 'sms') => [429, `over_${kind}_send_rate_limit`]

/** The requests for an address, by slot, whether or not a user has the address. */
const pending: [string, number, (email: string) => Promise<Answer>][] = [
  ['/signup', 900, (email) => slow.post('/signup', { email, password })],
  ['/resend', 900, (email) => slow.post('/resend', { type: 'signup', email })],
  ['/otp', 60, (email) => slow.post('/otp', { email })],
  ['/magiclink', 60, (email) => slow.post('/magiclink', { email })],
  ['/recover', 60, (email) => slow.post('/recover', { email })],
  ['/resend of a change', 60, (email) => slow.post('/resend', { type: 'email_change', email })],
]

describe('the interval between two messages', () => {
  it.each(pending)('%s is %i seconds, then it is over', async (_case, seconds, ask) => {
    const email = newEmail()
    await ask(email)
    slow.clock.advance(seconds - 1)
    const early = await ask(email.toUpperCase())
    slow.clock.advance(1)
    const inTime = await ask(email)

    expect(statusAndCode(early)).toEqual(tooOften('email'))
    expect(early.body.msg).toBe('For security purposes, you can only request this after 1 seconds.')
    expect([early.headers.get('retry-after'), early.body.retry_after]).toEqual(['1', 1])
    expect(inTime.status).toBe(200)
  })

  it.each([59.5, 57.5])(
    'has the same seconds in text and header, after %d seconds',
    async (passed) => {
      const email = newEmail()
      await slow.post('/otp', { email })
      slow.clock.advance(passed)

      const { headers, body } = await slow.post('/otp', { email })

      expect(body.msg).toContain(`after ${headers.get('retry-after')} seconds.`)
    },
  )

  it.each(pending)(
    'does not reveal by %s whether a user has the address',
    async (_case, _seconds, ask) => {
      const { email: known } = await slow.given.user(newEmail())
      const unknown = newEmail()
      const twice = async (email: string) => [await ask(email), await ask(email)]

      const [one, two] = [await twice(known ?? ''), await twice(unknown)]

      const shape = ({ status, headers, body }: Answer) => [
        status,
        [...headers.keys()],
        Object.keys(body),
        status === 429 && [body.msg, headers.get('retry-after')],
      ]
      expect(one.map(({ status }) => status)).toEqual([200, 429])
      expect(one.map(shape)).toEqual(two.map(shape))
    },
  )

  it.each([
    ['sign-up', ['/signup', '/resend']],
    ['sign-in', ['/otp', '/magiclink', '/recover']],
  ])('is shared by all requests of the slot %s', async (_slot, names) => {
    const email = newEmail()
    const ways = pending.filter(([name]) => names.includes(name))
    const answers: Answer[] = []
    for (const [, , ask] of ways) answers.push(await ask(email))

    expect(answers.map(({ status }) => status)).toEqual([200, ...ways.slice(1).map(() => 429)])
  })

  it('of one slot does not delay another slot or another address', async () => {
    const email = newEmail()
    const answers = [
      await slow.post('/signup', { email, password }),
      await slow.post('/otp', { email }),
      await slow.post('/resend', { type: 'email_change', email }),
      await slow.post('/otp', { email: newEmail() }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('rejects without a change', async () => {
    const email = newEmail()
    await slow.post('/signup', { email, password })
    const { code } = await slow.messageTo(email)
    const state = () =>
      slow.rows(
        `select (select jsonb_agg(to_jsonb(u)) from auth.users u where email = $1) as users,
          (select jsonb_agg(to_jsonb(t)) from auth.one_time_tokens t where sent_to = $1) as tokens,
          (select count(*) from auth.outbox_messages) as messages,
          (select count(*) from auth.audit_entries) as entries,
          (select jsonb_agg(to_jsonb(b) order by key) from auth.rate_limit_buckets b) as buckets`,
        [email],
      )
    const before = await state()

    const refused = await slow.post('/signup', { email, password: 'the password of Eve' })

    expect(statusAndCode(refused)).toEqual(tooOften('email'))
    expect(await state()).toEqual(before)
    const verified = await slow.post('/verify', { type: 'signup', token: code, email })
    expect(verified.status).toBe(200)
  })

  it('begins once, of fifty concurrent requests', async () => {
    const email = newEmail()

    const answers = await Promise.all(
      Array.from({ length: 50 }, () => slow.post('/otp', { email })),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await slow.messagesTo(email)).toHaveLength(1)
  })

  it('is counted per account for a signed-in user, whatever the requested address', async () => {
    const { accessToken: token } = await slow.given.session(newEmail())
    const change = (email: string) => slow.put('/user', { email }, { token })
    const nonce = () => slow.get('/reauthenticate', { token })

    const answers = [await change(newEmail()), await change(newEmail())]
    const nonces = [await nonce(), await nonce()]

    expect([...answers, ...nonces].map(({ status }) => status)).toEqual([200, 429, 200, 429])
  })

  it('is not spent by a malformed change of address', async () => {
    const { accessToken: token } = await slow.given.session(newEmail())
    const change = (body: object) => slow.put('/user', body, { token })

    const answers = [
      await change({ email: newEmail(), phone: 'no number' }),
      await change({ email: newEmail(), password: '' }),
      await change({ email: newEmail() }),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [400, 'validation_failed'],
      [422, 'weak_password'],
      [200, undefined],
    ])
  })

  it('H10: is spent by a change to an address of another user, too', async () => {
    const { email: taken } = await slow.given.user(newEmail())
    const { accessToken: token } = await slow.given.session(newEmail())
    const change = (body: object) => slow.put('/user', body, { token })

    const answers = [await change({ email: taken }), await change({ email: newEmail() })]

    expect(answers.map(statusAndCode)).toEqual([[422, 'email_exists'], tooOften('email')])
  })

  it.each([
    ['a new email', (one: Addresses) => ({ email: one.email })],
    ['a new phone', (one: Addresses) => ({ phone: one.phone })],
    ['both', (one: Addresses) => one],
    ['an email and a password', (one: Addresses) => ({ email: one.email, password: 'of mine 1' })],
    ['a phone and a password', (one: Addresses) => ({ phone: one.phone, password: 'of mine 1' })],
    ['a free email and another phone', ({ phone }: Addresses) => ({ email: newEmail(), phone })],
    ['another email and a free phone', ({ email }: Addresses) => ({ email, phone: newPhone() })],
  ])(
    'H10: does not reveal by %s, while it runs, whether a user has the address',
    async (_case, wanted) => {
      const { accessToken: token } = await slow.given.session(newEmail())
      const change = (body: object) => slow.put('/user', body, { token })
      const [taken, free] = [
        { email: newEmail(), phone: newPhone() },
        { email: newEmail(), phone: newPhone() },
      ]
      await slow.auth.admin.createUser({ ...taken, emailConfirm: true, phoneConfirm: true })
      await change({ email: newEmail(), phone: newPhone() })

      const [one, two] = [await change(wanted(taken)), await change(wanted(free))]

      expect(one.status).toBe(429)
      expect(revealing(one)).toEqual(revealing(two))
    },
  )

  it('H10: does not reveal it in code either', async () => {
    const { email: taken } = await slow.given.user(newEmail())
    const { accessToken } = await slow.given.session(newEmail())
    const change = (email: string) =>
      slow.auth.api.updateUser({ accessToken, email }).then(
        () => 'changed',
        ({ code, message }: { code: string; message: string }) => [code, message],
      )
    await change(newEmail())

    expect(await change(taken ?? '')).toEqual(await change(newEmail()))
  })

  it('is one for all SMS to a number', async () => {
    const phone = newPhone()
    const answers = [
      await slow.post('/otp', { phone }),
      await slow.post('/signup', { phone, password }),
      await slow.post('/resend', { type: 'sms', phone }),
    ]

    expect(answers.map(statusAndCode)).toEqual([[200, undefined], tooOften('sms'), tooOften('sms')])
  })

  it('of SMS applies to an SMS that is requested by email address', async () => {
    const { user, accessToken: token } = await slow.given.session(newEmail())
    const phone = newPhone()
    await slow.put('/user', { phone }, { token })
    const resend = () => slow.post('/resend', { type: 'phone_change', email: user.email })

    const answers = [await resend(), await resend()]
    // A message that is older than its code is not sent.
    await slow.messagesTo(phone)
    slow.clock.advance(60)
    answers.push(await resend())

    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      tooOften('sms'),
      [200, undefined],
    ])
    expect(await slow.messagesTo(phone)).toHaveLength(3)
  })

  it('does not delay an invitation', async () => {
    const token = await slow.given.serviceToken()
    const email = newEmail()
    const invite = () => slow.post('/invite', { email }, { token })

    expect([(await invite()).status, (await invite()).status]).toEqual([200, 200])
  })
})

describe('the budget of the whole service', () => {
  const statuses = (answers: Answer[]) => answers.map(({ status }) => status)
  /** Each request from another client, since no client may use the whole budget. */
  const from = () => `198.${Math.floor(++made / 250)}.${made % 250}.7`
  const otp = (email = newEmail()) => auth.post('/otp', { email }, { ip: from() })

  it('is shared by instances, and refilled evenly', async () => {
    const emails = Array.from({ length: 6 }, newEmail)
    const answers: Answer[] = []
    for (const [index, email] of emails.entries()) {
      const { request } = index % 2 === 0 ? auth : beside
      answers.push(await request('POST', '/otp', { body: { email }, ip: from() }))
    }
    auth.clock.advance(900)
    answers.push(await otp(), await otp())

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429, 200, 429])
    const refused = answers[4]
    expect(refused?.body).toMatchObject({
      error_code: 'over_email_send_rate_limit',
      msg: 'email rate limit exceeded',
    })
    expect(refused?.headers.get('retry-after')).toBe('900')
  })

  it('is not exceeded by fifty concurrent requests, and rejected ones may be repeated', async () => {
    await otp()
    auth.clock.advance(3600)
    const emails = Array.from({ length: 50 }, newEmail)

    const answers = await Promise.all(emails.map((email) => otp(email)))
    const refused = emails.filter((_, index) => answers[index]?.status === 429)
    auth.clock.advance(900)
    const [email] = refused
    const later = await otp(email)

    expect(refused).toHaveLength(46)
    // The interval of an hour would still run if the rejected request had begun it.
    expect(later.status).toBe(200)
  })

  it('is not spent by many concurrent requests of a client for one address', async () => {
    await otp()
    auth.clock.advance(3600)
    const [email, ip] = [newEmail(), from()]
    await Promise.all(Array.from({ length: 30 }, () => auth.post('/otp', { email }, { ip })))

    const answers = [await otp(), await otp(), await otp(), await otp()]

    expect(statuses(answers)).toEqual([200, 200, 200, 429])
  })

  it('is spent by invitations', async () => {
    const token = await auth.given.serviceToken()
    const answers: Answer[] = []
    for (let index = 0; index < 5; index++) {
      answers.push(await auth.post('/invite', { email: newEmail() }, { token }))
    }

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429])
  })

  it('of SMS is a separate one', async () => {
    const answers = [
      await auth.post('/otp', { phone: newPhone() }),
      await auth.post('/otp', { phone: newPhone() }),
      await auth.post('/otp', { phone: newPhone() }),
      await otp(),
    ]

    expect(answers.map(statusAndCode)).toEqual([
      [200, undefined],
      [200, undefined],
      tooOften('sms'),
      [200, undefined],
    ])
    expect(answers[2]?.body.msg).toBe('SMS rate limit exceeded')
  })

  it('H10: does not reveal to a signed-in user whether another user has an address', async () => {
    const { email: taken } = await auth.given.user(newEmail())
    const { accessToken: token } = await auth.given.session(newEmail())
    const change = (email: string | null) => auth.put('/user', { email }, { token })
    for (let index = 0; index < 5; index++) await otp()

    const [one, two] = [await change(taken), await change(newEmail())]

    expect(statusAndCode(one)).toEqual(tooOften('email'))
    expect(revealing(one)).toEqual(revealing(two))
  })

  it('does not reveal whether a user has the address', async () => {
    const { email: known } = await auth.given.user(newEmail())
    for (let index = 0; index < 5; index++) await otp()

    const [one, two] = [await otp(known ?? ''), await otp()]

    expect([one.status, one.body.msg]).toEqual([two.status, two.body.msg])
    expect(one.status).toBe(429)
  })
})
