import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MessagingAuth, startMessagingAuth } from '../../test/support/messages.ts'
import type { Answer } from '../../test/support/test-auth.ts'

// An interval applies to the client that sent the request, not to all clients with the same
// address.

let auth: MessagingAuth

const off = { tokenRefresh: 'off', otp: 'off', verify: 'off' } as const

beforeAll(async () => {
  auth = await startMessagingAuth({
    email: { autoconfirm: false },
    sms: { autoconfirm: false },
    rateLimits: { ...off, emailSent: 'off', smsSent: 'off' },
  })
})
afterAll(() => auth.close())
beforeEach(() => auth.clock.advance(3600))

let made = 0
const newEmail = () => `waits-${++made}@example.test`
const newPhone = () => `49157${String(++made).padStart(8, '0')}`
const [adaPassword, evePassword] = ['the password of Ada', 'the password of Eve']
const ada = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }
const unknown = { ip: '127.0.0.1' }
const otherClient = (number: number) => ({ ip: `192.0.${number}.9` })
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

type From = { ip: string }
type Ask = (address: string, from: From) => Promise<Answer>

const ways: [string, number, () => string, Ask][] = [
  ['/otp', 60, newEmail, (email, from) => auth.post('/otp', { email }, from)],
  ['/magiclink', 60, newEmail, (email, from) => auth.post('/magiclink', { email }, from)],
  ['/recover', 60, newEmail, (email, from) => auth.post('/recover', { email }, from)],
  [
    '/signup',
    900,
    newEmail,
    (email, from) => auth.post('/signup', { email, password: `the password of ${from.ip}` }, from),
  ],
  [
    '/resend',
    900,
    newEmail,
    (email, from) => auth.post('/resend', { type: 'signup', email }, from),
  ],
  [
    '/resend of a change',
    60,
    newEmail,
    (email, from) => auth.post('/resend', { type: 'email_change', email }, from),
  ],
  ['/otp by phone', 60, newPhone, (phone, from) => auth.post('/otp', { phone }, from)],
]

describe.each(ways)('H08: the interval of %s', (_way, seconds, newAddress, ask) => {
  it('does not make the owner wait for another client that never stops', async () => {
    const address = newAddress()
    const answers: Answer[] = []
    for (let round = 0; round < 5; round += 1) {
      await ask(address, eve)
      answers.push(await ask(address, ada))
      auth.clock.advance(seconds)
    }

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 200])
  })

  it('is shared by all requests of a client', async () => {
    const address = newAddress()

    const answers = [await ask(address, ada), await ask(address, ada)]

    expect(statuses(answers)).toEqual([200, 429])
    expect(answers[1]?.headers.get('retry-after')).toBe(String(seconds))
  })

  it('is shared by all clients that cannot be distinguished', async () => {
    const address = newAddress()

    const answers = [await ask(address, unknown), await ask(address, { ip: '10.0.0.7' })]

    expect(statuses(answers)).toEqual([200, 429])
  })

  it('allows four messages to one address, and then one in each quarter of it', async () => {
    const address = newAddress()
    const answers: Answer[] = []
    for (let number = 1; number <= 5; number += 1)
      answers.push(await ask(address, otherClient(number)))
    auth.clock.advance(seconds / 4 - 1)
    answers.push(await ask(address, otherClient(6)))
    auth.clock.advance(1)
    answers.push(await ask(address, otherClient(7)), await ask(address, otherClient(8)))

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429, 200, 429])
    expect(answers[4]?.headers.get('retry-after')).toBe(String(seconds / 4))
  })

  it('allows four of forty clients that send requests at once', async () => {
    const address = newAddress()
    await ask(address, otherClient(1))
    auth.clock.advance(seconds)

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, number) => ask(address, otherClient(number))),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(new Set(statuses(answers))).toEqual(new Set([200, 429]))
  })

  it('is begun by one of forty requests of a client, which takes one of the four', async () => {
    const address = newAddress()
    const flood = await Promise.all(Array.from({ length: 40 }, () => ask(address, eve)))
    const others = [1, 2, 3, 4]
    const answers: Answer[] = []
    for (const number of others) answers.push(await ask(address, otherClient(number)))

    expect(flood.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(statuses(answers)).toEqual([200, 200, 200, 429])
  })
})

describe('a sign-up of another client within the interval', () => {
  it('competes with that of the owner', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)
    const own = await auth.messageTo(email)

    const second = await auth.post(
      '/signup',
      { email, password: evePassword, data: { name: 'Eve' } },
      eve,
    )
    const { fragment } = await auth.follow(own)

    expect([second.status, fragment.has('access_token')]).toEqual([200, true])
    for (const password of [adaPassword, evePassword]) {
      const { status } = await auth.post('/token?grant_type=password', { email, password })
      expect(status).toBe(400)
    }
    const [user] = await auth.rows<{ user_metadata: object }>(
      'select user_metadata from auth.users where email = $1',
      [email],
    )
    expect(user?.user_metadata).not.toHaveProperty('name')
  })

  it('leaves a repeated sign-up of the owner to the interval', async () => {
    const email = newEmail()
    await auth.post('/signup', { email, password: adaPassword }, ada)
    await auth.post('/signup', { email, password: evePassword }, eve)

    const { status } = await auth.post('/signup', { email, password: adaPassword }, ada)

    expect(status).toBe(429)
  })
})

describe('a signed-in user', () => {
  it('has one interval, whatever network the requests come from', async () => {
    const { accessToken: token } = await auth.given.session(newEmail())
    const change = (from: From) => auth.put('/user', { email: newEmail() }, { token, ...from })
    const nonce = (from: From) => auth.get('/reauthenticate', { token, ...from })

    const answers = [await change(ada), await change(eve), await nonce(ada), await nonce(eve)]

    expect(statuses(answers)).toEqual([200, 429, 200, 429])
  })

  it('receives a message despite requests of other clients', async () => {
    const { user, accessToken: token } = await auth.given.session(newEmail())
    for (let number = 1; number <= 5; number += 1) {
      await auth.post('/otp', { email: user.email }, otherClient(number))
    }

    expect((await auth.get('/reauthenticate', { token, ...ada })).status).toBe(200)
  })
})

describe('a change of address', () => {
  const attackers = (count: number) =>
    Promise.all(Array.from({ length: count }, () => auth.given.session(newEmail())))
  const sentTo = async (address: string) => (await auth.messagesTo(address)).length

  it.each([
    ['email', newEmail],
    ['phone', newPhone],
  ])(
    'sends four messages to an %s, whatever number of accounts requests them',
    async (kind, newAddress) => {
      const address = newAddress()
      const answers: Answer[] = []
      for (const [number, { accessToken: token }] of (await attackers(6)).entries())
        answers.push(
          await auth.put('/user', { [kind]: address }, { token, ...otherClient(number) }),
        )

      expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 429])
      expect(await sentTo(address)).toBe(4)
    },
  )

  it.each([
    ['email', newEmail],
    ['phone', newPhone],
  ])(
    'H08: does not prevent sign-in by the %s, whatever number of accounts a client uses',
    async (kind, newAddress) => {
      const address = newAddress()
      const answers: Answer[] = []
      for (const { accessToken: token } of await attackers(5))
        answers.push(await auth.put('/user', { [kind]: address }, { token, ...eve }))

      const own = await auth.post('/otp', { [kind]: address }, ada)

      expect(statuses(answers)).toEqual([200, 200, 200, 200, 429])
      expect(own.status).toBe(200)
    },
  )

  it('is counted the same for an address of another user', async () => {
    const { email } = await auth.given.user(newEmail())
    const answers: Answer[] = []
    for (const [number, { accessToken: token }] of (await attackers(5)).entries())
      answers.push(await auth.put('/user', { email }, { token, ...otherClient(number) }))

    expect(statuses(answers)).toEqual([422, 422, 422, 422, 429])
  })

  it.each([
    ['email_change', 'email', newEmail],
    ['phone_change', 'phone', newPhone],
  ])(
    'is not repeated more often by %s, and the response does not reveal it',
    async (type, kind, newAddress) => {
      const address = newAddress()
      const accounts = await attackers(3)
      for (const { accessToken: token } of accounts)
        await auth.put('/user', { [kind]: address }, { token, ...eve })
      const answers: Answer[] = []
      for (const [number, { user }] of accounts.entries())
        answers.push(await auth.post('/resend', { type, email: user.email }, otherClient(number)))
      const ofUnknown = await auth.post('/resend', { type, email: newEmail() }, ada)
      const sent = await sentTo(address)
      auth.clock.advance(60)
      await auth.post('/resend', { type, email: accounts[0]?.user.email }, ada)

      expect(statuses(answers)).toEqual([200, 200, 200])
      expect(Object.keys(answers[2]?.body)).toEqual(Object.keys(ofUnknown.body))
      expect([sent, await sentTo(address)]).toEqual([4, 5])
    },
  )
})

describe('an export of personal data', () => {
  it('contains the intervals of the user', async () => {
    const { user } = await auth.given.session(newEmail())
    await auth.post(
      '/token?grant_type=password',
      { email: user.email, password: 'correct horse' },
      ada,
    )
    const stored = () => auth.rows<{ key: string }>('select key from auth.rate_limit_buckets')
    const before = new Set((await stored()).map(({ key }) => key))
    for (const from of [ada, unknown]) {
      await auth.post('/otp', { email: user.email }, from)
      await auth.post('/resend', { type: 'signup', email: user.email }, from)
    }
    const begun = (await stored()).map(({ key }) => key).filter((key) => !before.has(key))

    const { limits } = await (await auth.auth.admin.exportUser(user.id)).read()

    // For both slots: the shared interval, this client, its network, and indistinguishable clients.
    expect(begun).toHaveLength(8)
    expect(limits.map(({ key }) => key)).toEqual(expect.arrayContaining(begun))
  })
})
