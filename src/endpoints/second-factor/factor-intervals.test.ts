import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type SecondFactors, secondFactors } from '../../../test/support/second-factors.ts'
import { type Answer, startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

// The interval between codes applies to the client that requests them, beside limits of its widest
// network and of all clients together.

let auth: TestAuth
let factors: SecondFactors
let codes: { to: string; code: string }[] = []

const enabled = { enrollEnabled: true, verifyEnabled: true }

beforeAll(async () => {
  auth = await startTestAuth({
    email: {
      autoconfirm: false,
      send: ({ to, kind, text }) => {
        const [code] = text.match(/\b\d{6}\b/) ?? []
        if (kind === 'mfaCode' && code) codes.push({ to, code })
      },
    },
    sms: { send: ({ to, code }) => void codes.push({ to, code: code ?? '' }) },
    mfa: { email: enabled, phone: enabled },
    rateLimits: { emailSent: 'off', smsSent: 'off', challengeAndVerify: 'off' },
  })
  factors = secondFactors(auth)
})
afterAll(() => auth.close())
beforeEach(() => {
  codes = []
  auth.clock.advance(3600)
})

const settled = async () => (await auth.deps()).outbox.settled()
const statuses = (answers: Answer[]) => answers.map(({ status }) => status)

let made = 0
const newPhone = () => `+1500555${String(++made).padStart(4, '0')}`
const kinds: [string, string, () => object][] = [
  ['phone', 'over_sms_send_rate_limit', () => ({ factor_type: 'phone', phone: newPhone() })],
  ['email', 'over_email_send_rate_limit', () => ({ factor_type: 'email' })],
]

type From = { ip: string }
const ada = { ip: '203.0.113.10' }
const eve = { ip: '198.51.100.66' }
const eveElsewhere = (number: number) => ({ ip: `192.0.${number}.9` })

/** Returns a function that requests a code for the factor from an address. */
const challengeWith = (token: string, id: string) => (from: From) =>
  auth.post(`/factors/${id}/challenge`, {}, { token, ...from })

/** Creates a user with an unverified factor. */
async function enrolled(factor: object) {
  const { user, accessToken: token } = await auth.given.session()
  const { body } = await factors.enroll(token, factor)
  return { user, token, id: body.id as string, ask: challengeWith(token, body.id) }
}

/** Creates a user with a verified factor, and a further session each of owner and attacker. */
async function signedIn(factor: object) {
  const { user, token, id, ask } = await enrolled(factor)
  const { body } = await ask(ada)
  await settled()
  const verified = await auth.post(
    `/factors/${id}/verify`,
    { challenge_id: body.id, code: codes.at(-1)?.code },
    { token, ...ada },
  )
  expect(verified.status).toBe(200)
  auth.clock.advance(60)
  codes = []
  const owner = await factors.signIn(user.email)
  const attacker = await factors.signIn(user.email)
  return {
    user,
    id,
    token: owner.accessToken,
    ask: challengeWith(owner.accessToken, id),
    attack: challengeWith(attacker.accessToken, id),
  }
}

describe.each(kinds)('the interval between codes by %s', (_kind, errorCode, newFactor) => {
  it('S111: sends the owner a code despite an attacker that requests one each second', async () => {
    const { id, token, ask, attack } = await signedIn(newFactor())
    const attempts: Answer[] = []
    const answers: Answer[] = []
    for (let minute = 0; minute < 3; minute += 1) {
      for (let second = 0; second < 5; second += 1) {
        attempts.push(await attack(eve))
        auth.clock.advance(1)
      }
      answers.push(await ask(ada))
      await settled()
      auth.clock.advance(55)
    }
    const verified = await auth.post(
      `/factors/${id}/verify`,
      { challenge_id: answers.at(-1)?.body.id, code: codes.at(-1)?.code },
      { token, ...ada },
    )

    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(3)
    expect(statuses(answers)).toEqual([200, 200, 200])
    expect(verified.status).toBe(200)
    expect(codes).toHaveLength(6)
  })

  it('S111: leaves two of four codes to the owner, whatever addresses of a network are used', async () => {
    const ipv4 = [1, 2, 3].map((host) => ({ ip: `198.51.100.${host}` }))
    const ipv6 = [1, 2, 3].map((subnet) => ({ ip: `2001:db8:7:${subnet}::1` }))
    for (const network of [ipv4, ipv6]) {
      const { ask, attack } = await signedIn(newFactor())
      const attempts: Answer[] = []
      for (const from of network) attempts.push(await attack(from))

      const answers = [await ask(ada), await ask({ ip: '203.0.114.10' })]

      expect(statuses(attempts)).toEqual([200, 200, 429])
      expect(attempts[2]?.body.error_code).toBe(errorCode)
      expect(attempts[2]?.headers.get('retry-after')).toBe('30')
      expect(statuses(answers)).toEqual([200, 200])
    }
  })

  it('allows four codes for all clients together, and then one in each quarter of it', async () => {
    const { attack } = await signedIn(newFactor())
    const answers: Answer[] = []
    for (let number = 1; number <= 5; number += 1) answers.push(await attack(eveElsewhere(number)))
    auth.clock.advance(15)
    answers.push(await attack(eveElsewhere(6)), await attack(eveElsewhere(7)))
    await settled()

    expect(statuses(answers)).toEqual([200, 200, 200, 200, 429, 200, 429])
    expect(answers[4]?.body.error_code).toBe(errorCode)
    expect(answers[4]?.headers.get('retry-after')).toBe('15')
    expect(codes).toHaveLength(5)
  })

  it('allows four of twenty clients that send requests at once', async () => {
    const { attack } = await signedIn(newFactor())

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, number) => attack(eveElsewhere(number))),
    )

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
    expect(new Set(statuses(answers))).toEqual(new Set([200, 429]))
  })

  it('is shared by all requests of a client, and by clients that cannot be distinguished', async () => {
    const { ask, attack } = await signedIn(newFactor())

    const answers = [
      await ask(ada),
      await attack(ada),
      await ask({ ip: '127.0.0.1' }),
      await attack({ ip: '10.0.0.7' }),
    ]

    expect(statuses(answers)).toEqual([200, 429, 200, 429])
    expect(answers[1]?.headers.get('retry-after')).toBe('60')
  })

  it('also leaves a code to the owner who enrolls the factor', async () => {
    const { ask } = await enrolled(newFactor())

    const answers = [
      await ask({ ip: '198.51.100.1' }),
      await ask({ ip: '198.51.100.2' }),
      await ask({ ip: '198.51.100.3' }),
      await ask(ada),
    ]

    expect(statuses(answers)).toEqual([200, 200, 429, 200])
  })

  it('is contained in an export of personal data, without the address of the client', async () => {
    const { user, ask } = await signedIn(newFactor())
    await auth.post(
      '/token?grant_type=password',
      { email: user.email, password: 'correct horse' },
      ada,
    )
    const stored = async () =>
      (await auth.rows<{ key: string }>('select key from auth.rate_limit_buckets')).map(
        ({ key }) => key,
      )
    await auth.rows('delete from auth.rate_limit_buckets')
    for (const from of [ada, { ip: '127.0.0.1' }]) await ask(from)
    const begun = await stored()

    const { limits } = await (await auth.auth.admin.exportUser(user.id)).read()

    // The limit of all clients, this client, its network, and indistinguishable clients.
    expect(begun).toHaveLength(4)
    expect(begun.every((key) => /^[0-9a-f]{64}$/.test(key))).toBe(true)
    expect(limits.map(({ key }) => key)).toEqual(expect.arrayContaining(begun))
  })
})

describe('the interval between codes to phones that are not verified', () => {
  it('is not shortened by enrolling one number after the other in one network', async () => {
    const { token, ask } = await enrolled({ factor_type: 'phone', phone: newPhone() })
    const answers = [await ask({ ip: '198.51.100.1' })]
    for (let host = 1; host <= 3; host += 1) {
      const phone = { factor_type: 'phone', phone: newPhone(), friendly_name: `phone ${host}` }
      const { body } = await factors.enroll(token, phone)
      answers.push(await challengeWith(token, body.id)({ ip: `198.51.100.${host}` }))
    }

    expect(statuses(answers)).toEqual([200, 429, 200, 429])
  })
})
