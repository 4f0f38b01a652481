import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { codeAttemptsKey } from '../src/accounts/one-time-tokens/count-code-attempt.sql.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import { atOnce, numbers } from './support/server-pair.ts'
import { type Answer, type TestAuth, testPassword } from './support/test-auth.ts'

// T03, T04, T05: a single-use secret succeeds once, of many concurrent requests on two instances.

let auth: MessagingAuth
let beside: Pick<TestAuth, 'auth' | 'request' | 'close'>
let service: string

beforeAll(async () => {
  auth = await startMessagingAuth({
    security: { passwordUpdate: { requireReauthentication: true } },
  })
  beside = await auth.beside()
  service = await auth.given.serviceToken()
})
afterAll(() => Promise.all([beside?.close(), auth?.close()]))

let made = 0
const newEmail = () => `race-${++made}@example.test`
const newPhone = () => `49161${String(++made).padStart(8, '0')}`

/** Sends fifty concurrent requests, half of them to each instance. */
const fifty = (method: string, path: string, options: { body?: object; token?: string } = {}) =>
  atOnce(numbers(50), (number) => (number % 2 === 0 ? auth : beside).request(method, path, options))
const succeeded = (answers: Answer[]) => answers.filter(({ status }) => status === 200)
const refusedWith = (answers: Answer[]) => [
  ...new Set(
    answers
      .filter(({ status }) => status !== 200)
      .map((one) => `${one.status} ${one.body.error_code}`),
  ),
]
const sessionsOf = async (column: 'email' | 'phone', address: string) =>
  (
    await auth.rows(
      `select s.id from auth.sessions s join auth.users u on u.id = s.user_id where u.${column} = $1`,
      [address],
    )
  ).length

const requests: Record<string, (more?: object) => Promise<string>> = {
  signup: async (more) => {
    const email = newEmail()
    await auth.post('/signup', { email, password: testPassword, ...more })
    return email
  },
  invite: async () => {
    const email = newEmail()
    await auth.post('/invite', { email }, { token: service })
    return email
  },
  magiclink: async (more) => {
    const { email } = await auth.given.user(newEmail())
    await auth.post('/magiclink', { email, ...more })
    return email ?? ''
  },
  recovery: async (more) => {
    const { email } = await auth.given.user(newEmail())
    await auth.post('/recover', { email, ...more })
    return email ?? ''
  },
}
const kinds = Object.keys(requests)
const sentFor = async (kind: string, more?: object) =>
  auth.messageTo((await requests[kind]?.(more)) ?? '')

describe.each(kinds)('T04: a mail for %s', (type) => {
  it('opens one session, of fifty requests for its link', async () => {
    const { hash, to } = await sentFor(type)

    const answers = await fifty('GET', `/verify?token=${hash}&type=${type}`)

    const targets = answers.map(({ headers }) => headers.get('location') ?? '')
    expect(targets.filter((target) => target.includes('access_token='))).toHaveLength(1)
    expect(targets.filter((target) => target.includes('error_code=otp_expired'))).toHaveLength(49)
    expect(await sessionsOf('email', to)).toBe(1)
  })

  it('opens one session, of fifty requests with its secret', async () => {
    const { hash, to } = await sentFor(type)

    const answers = await fifty('POST', '/verify', { body: { type, token_hash: hash } })

    expect(succeeded(answers)).toHaveLength(1)
    expect(refusedWith(answers)).toEqual(['403 otp_expired'])
    expect(await sessionsOf('email', to)).toBe(1)
  })

  it('T05: opens one session, of two requests with its code', async () => {
    const { code, to } = await sentFor(type)
    const body = { type, token: code, email: to }

    const answers = await atOnce([auth, beside], ({ request }) =>
      request('POST', '/verify', { body }),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403])
    expect(await sessionsOf('email', to)).toBe(1)
  })

  it('opens one session, of fifty requests of these kinds', async () => {
    const { hash, code, to } = await sentFor(type)

    const answers = await atOnce(numbers(50), (number) => {
      const { request } = number % 2 === 0 ? auth : beside
      if (number % 3 === 0) return request('GET', `/verify?token=${hash}&type=${type}`)
      const proof = number % 3 === 1 ? { token_hash: hash } : { token: code, email: to }
      return request('POST', '/verify', { body: { type, ...proof } })
    })

    expect(answers.filter(({ status }) => status >= 500)).toEqual([])
    expect(await sessionsOf('email', to)).toBe(1)
  })
})

it('T04: an SMS opens one session, of fifty requests with its code', async () => {
  const phone = newPhone()
  await auth.post('/otp', { phone })
  const { code } = await auth.messageTo(phone)

  const answers = await fifty('POST', '/verify', { body: { type: 'sms', token: code, phone } })

  expect(succeeded(answers)).toHaveLength(1)
  expect(refusedWith(answers)).toEqual(['403 otp_expired'])
  expect(await sessionsOf('phone', phone)).toBe(1)
})

it('T03: a PKCE code opens one session, of fifty exchanges', async () => {
  const verifier = 'v'.repeat(43)
  const pkce = { code_challenge: verifier, code_challenge_method: 'plain' }
  const message = await sentFor('magiclink', pkce)
  const { url } = await auth.follow(message)
  const body = { auth_code: url?.searchParams.get('code'), code_verifier: verifier }

  const answers = await fifty('POST', '/token?grant_type=pkce', { body })

  expect(succeeded(answers)).toHaveLength(1)
  expect(refusedWith(answers)).toEqual(['404 flow_state_not_found'])
  expect(await sessionsOf('email', message.to)).toBe(1)
})

it('T03: a PKCE link ends in one code, of fifty requests', async () => {
  const message = await sentFor('magiclink', {
    code_challenge: 'v'.repeat(43),
    code_challenge_method: 'plain',
  })

  await fifty('GET', `/verify?token=${message.hash}&type=magiclink`)

  const codes = await auth.rows(
    'select c.id from auth.authorization_codes c join auth.users u on u.id = user_id where email = $1',
    [message.to],
  )
  expect(codes).toHaveLength(1)
})

it('T04: a nonce changes one password, of fifty requests', async () => {
  const { user, accessToken: token } = await auth.given.session(newEmail())
  await auth.get('/reauthenticate', { token })
  const { code: nonce } = await auth.messageTo(user.email ?? '')
  const passwords = numbers(50).map((number) => `another horse ${number}`)

  const answers = await atOnce(passwords, (password) =>
    auth.put('/user', { password, nonce }, { token }),
  )

  const changed = passwords.filter((_, index) => answers[index]?.status === 200)
  expect(changed).toHaveLength(1)
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
  const signIn = { email: user.email, password: changed[0] }
  expect((await auth.post('/token?grant_type=password', signIn)).status).toBe(200)
})

describe('a valid link', () => {
  it('is not invalidated by concurrent requests of the user', async () => {
    for (const round of numbers(5)) {
      const { user, accessToken: token } = await auth.given.session(newEmail())
      await auth.post('/recover', { email: user.email })
      const { hash } = await auth.messageTo(user.email ?? '')

      const [followed, ...changes] = await Promise.all([
        auth.post('/verify', { type: 'recovery', token_hash: hash }),
        ...numbers(4).map((n) => auth.put('/user', { data: { [`k${n}`]: round } }, { token })),
      ])

      expect(followed.status).toBe(200)
      expect(changes.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { body } = await auth.get('/user', { token })
      expect(Object.keys(body.user_metadata)).toHaveLength(5)
    }
  })

  it.each(['confirmation', 'recovery'])(
    'does not delay a code while it is consumed, the %s first',
    async (first) => {
      const email = newEmail()
      await auth.post('/signup', { email, password: testPassword })
      await auth.post('/recover', { email })
      // The order of locks when a token is consumed: the user, then the token, then the other
      // tokens.
      const spending = new pg.Client({ connectionString: auth.databaseUrl })
      await spending.connect()
      await spending.query('begin')
      await spending.query('select from auth.users where email = $1 for update', [email])
      const spend = (condition: string) =>
        spending.query(
          `delete from auth.one_time_tokens where sent_to = $1 and purpose ${condition} $2`,
          [email, first],
        )
      await spend('=')

      const entered = await auth.post('/verify', { type: 'email', token: '000000', email })
      await spend('<>')
      await spending.query('commit')
      await spending.end()

      expect(entered.status).toBe(403)
    },
  )
})

// PostgreSQL ends one of two statements that lock the same rows in different orders, after a second
// in which others wait.
it('S119: attempts at codes lock the counters of the address in one order, whether or not a code waits', async () => {
  const email = newEmail()
  await auth.given.user(email)
  await auth.post('/recover', { email })
  const attempt = (type: string, number = 0) =>
    auth.post('/verify', { type, token: '000000', email }, { ip: `198.51.100.${number + 1}` })
  // From then on the code that waits is compared with no attempt of another client.
  for (const number of numbers(31)) await attempt('recovery', number)
  const first = codeAttemptsKey('authenticated', email)
  const second = `code-tries:${first.slice(0, 32)}`
  await attempt('signup')
  const holder = new pg.Client({ connectionString: auth.databaseUrl })
  await holder.connect()
  const lock = (key: string) =>
    holder.query('select key from auth.rate_limit_buckets where key = $1 for update skip locked', [
      key,
    ])
  const waiting = async () => {
    const { rows } = await holder.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length
  }

  await holder.query('begin')
  const held = await lock(first)
  const attempts = Promise.all([attempt('recovery'), attempt('signup')])
  await vi.waitUntil(async () => (await waiting()) === 2)
  const free = await lock(second)
  await holder.query('commit')
  await holder.end()

  expect([held.rowCount, free.rowCount]).toEqual([1, 1])
  expect((await attempts).map(({ status }) => status)).toEqual([403, 403])
})

it.each(['email', 'phone'] as const)(
  'concurrent sign-ups of twenty clients for one %s each cause a message',
  async (kind) => {
    const address = kind === 'email' ? newEmail() : newPhone()

    const answers = await atOnce(numbers(20), (number) => {
      const body = { [kind]: address, password: `${testPassword} ${number}` }
      return auth.post('/signup', body, { ip: `203.0.113.${number + 1}` })
    })

    const messages = await auth.messagesTo(address)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(messages).toHaveLength(20)
    expect(messages.filter(({ code }) => code === '')).toEqual([])
  },
)
