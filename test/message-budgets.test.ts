import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashSecret, tokenIdOf } from '../src/accounts/one-time-tokens/one-time-token-row.ts'
import { type Cost, type MeteredAuth, startMeteredAuth } from './support/metered-auth.ts'
import { type Answer, testPassword, withoutAutoconfirm } from './support/test-auth.ts'

// Design §5: the cost of codes and links. Rule 5 and T44: it is the same for unknown addresses.

let auth: MeteredAuth

beforeAll(async () => {
  auth = await startMeteredAuth({
    ...withoutAutoconfirm,
    // Intervals and budgets are counted, and never exhausted.
    email: { autoconfirm: false, maxFrequencySeconds: 1 },
    sms: { autoconfirm: false, maxFrequencySeconds: 1 },
    rateLimits: {
      tokenRefresh: 'off',
      otp: 'off',
      verify: 'off',
      emailSent: 10_000,
      smsSent: 10_000,
    },
  })
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `budget-${++made}@example.test`
const newPhone = () => `49162${String(++made).padStart(8, '0')}`

type Measured = Cost & { result: Answer }
const measure = async (act: () => Promise<Answer>): Promise<Measured> => {
  auth.clock.advance(2)
  return auth.measure(act)
}
const costOf = ({ statements, trips, hashes }: Measured) => ({ statements, trips, hashes })

/** The parts of a response by which a client could distinguish two users. */
const shape = ({ result: { status, headers, body } }: Measured) => ({
  status,
  headers: [...headers.keys()],
  body: shapeOf(body),
})
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return 'list'
  if (typeof value !== 'object' || value === null) return typeof value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, shapeOf(part)]))
}

type Ask = (address: string) => Promise<Answer>
const post =
  (path: string, make: (address: string) => object): Ask =>
  (address) =>
    auth.post(path, make(address))

/** Requests by address; the last member is the number of statements. */
const byEmail: [string, Ask, number][] = [
  ['/signup', post('/signup', (email) => ({ email, password: testPassword })), 3],
  ['/otp', post('/otp', (email) => ({ email })), 4],
  ['/magiclink', post('/magiclink', (email) => ({ email })), 4],
  ['/recover', post('/recover', (email) => ({ email })), 4],
  ['/resend signup', post('/resend', (email) => ({ type: 'signup', email })), 4],
  ['/resend email_change', post('/resend', (email) => ({ type: 'email_change', email })), 4],
  ['/resend phone_change', post('/resend', (email) => ({ type: 'phone_change', email })), 4],
]
const byPhone: [string, Ask, number][] = [
  ['/signup', post('/signup', (phone) => ({ phone, password: testPassword })), 3],
  ['/otp', post('/otp', (phone) => ({ phone })), 4],
  ['/resend sms', post('/resend', (phone) => ({ type: 'sms', phone })), 4],
]

const proved = async () => (await auth.given.user(newEmail())).email ?? ''
const unproved = async () =>
  (await auth.auth.admin.createUser({ email: newEmail(), password: testPassword })).email ?? ''
const provedPhone = async () =>
  (await auth.auth.admin.createUser({ phone: newPhone(), phoneConfirm: true })).phone ?? ''
const unprovedPhone = async () =>
  (await auth.auth.admin.createUser({ phone: newPhone() })).phone ?? ''

describe.each([
  ['email', byEmail, [proved, unproved, async () => newEmail()]],
  ['phone', byPhone, [provedPhone, unprovedPhone, async () => newPhone()]],
] as const)('a request for a message by %s', (_kind, asks, addresses) => {
  it.each(asks)(
    '%s has the same cost and response for known and unknown addresses',
    async (_path, ask, most) => {
      const costs: Measured[] = []
      for (const make of addresses) {
        const address = await make()
        costs.push(await measure(() => ask(address)))
      }

      const [first, ...others] = costs
      expect(first?.result.status).toBe(200)
      expect(first?.statements).toBeLessThanOrEqual(most)
      expect(first?.trips).toBeLessThanOrEqual(2)
      for (const other of others) {
        expect(costOf(other)).toEqual(costOf(first as Measured))
        expect(shape(other)).toEqual(shape(first as Measured))
      }
    },
  )

  it.each(asks)(
    '%s within the interval has the same cost for known and unknown addresses',
    async (_path, ask) => {
      const costs: Measured[] = []
      for (const make of addresses) {
        const address = await make()
        auth.clock.advance(2)
        await ask(address)
        costs.push(await auth.measure(() => ask(address)))
      }

      expect(costs.map(({ result }) => result.status)).toEqual(costs.map(() => 429))
      expect(new Set(costs.map((cost) => JSON.stringify([costOf(cost), cost.names]))).size).toBe(1)
    },
  )
})

describe('H10: a change of address', () => {
  const change = (token: string, body: object) => () => auth.put('/user', body, { token })

  it.each([
    ['email', proved, async () => newEmail()],
    ['phone', provedPhone, async () => newPhone()],
  ] as const)(
    'to the %s within the interval has the same cost and response for known and unknown ones',
    async (kind, taken, free) => {
      const { accessToken: token } = await auth.given.session(newEmail())
      const wanted = [{ [kind]: await taken() }, { [kind]: await free() }]
      auth.clock.advance(2)
      await change(token, { [kind]: await free() })()

      const costs: Measured[] = []
      for (const body of wanted) costs.push(await auth.measure(change(token, body)))

      const [one, two] = costs as [Measured, Measured]
      expect([one.result.status, one.names]).toEqual([429, ['find_caller', 'find_for_update']])
      expect([costOf(one), one.names, shape(one)]).toEqual([costOf(two), two.names, shape(two)])
    },
  )
})

describe('where no user is created, the statements have the same names', () => {
  it.each([
    ['/recover', post('/recover', (email) => ({ email }))],
    ['/resend', post('/resend', (email) => ({ type: 'signup', email }))],
  ] as [string, Ask][])('%s', async (_path, ask) => {
    const known = await proved()
    const costs = [await measure(() => ask(known)), await measure(() => ask(newEmail()))]

    expect(costs.map(({ names }) => names)).toEqual([
      ['find_for_message_by_email', 'store_request'],
      ['find_for_message_by_email', 'store_request'],
    ])
  })
})

describe('a nonce', () => {
  it('is requested in two statements', async () => {
    const { accessToken: token } = await auth.given.session(newEmail())

    const cost = await measure(() => auth.get('/reauthenticate', { token }))

    expect([cost.result.status, cost.statements, cost.trips]).toEqual([200, 2, 2])
  })
})

describe('a one-time token', () => {
  const link = async () => {
    const { body } = await auth.post(
      '/admin/generate_link',
      { type: 'recovery', email: await proved() },
      { token: await auth.given.serviceToken() },
    )
    return body
  }

  it('is verified in two statements, as a code, a hash and a link', async () => {
    const [one, two, three] = [await link(), await link(), await link()]

    const costs = [
      await measure(() =>
        auth.post('/verify', { type: 'recovery', token: one.email_otp, email: one.email }),
      ),
      await measure(() => auth.post('/verify', { type: 'recovery', token_hash: two.hashed_token })),
      await measure(() => auth.get(`/verify?type=recovery&token=${three.hashed_token}`)),
    ]

    expect(costs.map(({ result }) => result.status)).toEqual([200, 200, 303])
    expect(costs.map(costOf)).toEqual(costs.map(() => ({ statements: 2, trips: 2, hashes: 0 })))
  })

  const spentLink = async () => {
    const body = await link()
    await auth.post('/verify', { type: 'recovery', token: body.email_otp, email: body.email })
    return body.email
  }
  const waitingPhone = async () => {
    const phone = await provedPhone()
    await auth.post('/otp', { phone })
    return phone
  }

  it.each([
    ['recovery', 'email', [async () => (await link()).email, spentLink, proved, unproved]],
    ['email', 'email', [async () => (await link()).email, spentLink, proved, unproved]],
    ['signup', 'email', [proved, unproved]],
    ['email_change', 'email', [proved, unproved]],
    ['sms', 'phone', [waitingPhone, provedPhone, unprovedPhone]],
    ['phone_change', 'phone', [provedPhone, unprovedPhone]],
  ] as const)(
    'H12: of type %s that is wrong has the same cost and response for known and unknown addresses',
    async (type, kind, known) => {
      const addresses = [kind === 'email' ? newEmail() : newPhone()]
      for (const make of known) addresses.push(await make())
      const enter = (to: string) => () =>
        auth.post('/verify', { type, token: '000000', [kind]: to })

      const costs: Measured[] = []
      for (const address of addresses) costs.push(await auth.measure(enter(address)))

      const described = costs.map((cost) => JSON.stringify([costOf(cost), cost.names, shape(cost)]))
      expect(costs.map(({ result }) => result.status)).toEqual(costs.map(() => 403))
      expect(new Set(described).size).toBe(1)
    },
  )

  it('of PKCE is exchanged in two statements', async () => {
    const verifier = 'v'.repeat(43)
    const email = await proved()
    const { code } = await issueCode(email, verifier)

    const cost = await measure(() =>
      auth.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier }),
    )

    expect([cost.result.status, cost.statements, cost.trips]).toEqual([200, 2, 2])
  })
})

/** Stores the code challenge beside a link of an operator, since no browser flow runs here. */
async function issueCode(email: string, verifier: string) {
  const { body } = await auth.post(
    '/admin/generate_link',
    { type: 'magiclink', email },
    { token: await auth.given.serviceToken() },
  )
  const secret = `pkce_${body.hashed_token}`
  const tokenHash = hashSecret(secret)
  await auth.rows(
    `update auth.one_time_tokens set id = $4, token_hash = $2, code_challenge = $3,
       code_challenge_method = 'plain' where sent_to = $1`,
    [email, tokenHash, verifier, tokenIdOf(tokenHash)],
  )
  const { headers } = await auth.get(`/verify?type=magiclink&token=${secret}`)
  return { code: new URL(headers.get('location') ?? '').searchParams.get('code') }
}
