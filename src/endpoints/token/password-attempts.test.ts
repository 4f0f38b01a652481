import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMessagingAuth } from '../../../test/support/messages.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { HashingPriority } from '../../credentials/passwords/gate.ts'
import type { PasswordHasher } from '../../credentials/passwords/password-hasher.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const attacker = '198.51.100.66'
const home = '203.0.113.7'

const signIn = (email: string, password: string, ip: string) =>
  auth.post('/token?grant_type=password', { email, password }, { ip })

const codes = (answers: { body: { error_code?: string } }[]) => {
  const counts: Record<string, number> = {}
  for (const { body } of answers) {
    const code = body.error_code ?? 'signed in'
    counts[code] = (counts[code] ?? 0) + 1
  }
  return counts
}

const attack = (email: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => signIn(email, 'wrong', attacker)))

it('T07: compares 50 of 200 parallel wrong passwords, and delays the others', async () => {
  const { email } = await auth.given.user()

  const answers = await attack(email ?? '', 200)

  expect(codes(answers)).toEqual({ invalid_credentials: 50, over_request_rate_limit: 150 })
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1')
})

it('treats an unknown address alike', async () => {
  const answers = await attack('nobody@example.test', 60)

  expect(codes(answers)).toEqual({ invalid_credentials: 50, over_request_rate_limit: 10 })
})

it('accepts one more after each wait, which doubles up to 15 minutes', async () => {
  const { email = '' } = await auth.given.user()
  await attack(email ?? '', 50)
  const waits: number[] = []
  for (let failure = 0; failure < 12; failure += 1) {
    const refused = await signIn(email ?? '', 'wrong', attacker)
    waits.push(Number(refused.headers.get('retry-after')))
    auth.clock.advance(waits.at(-1) ?? 0)
    expect((await signIn(email ?? '', 'wrong', attacker)).status).toBe(400)
  }

  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
})

it('does not lock the owner out at the place of an earlier sign-in', async () => {
  const { email = '' } = await auth.given.user()
  await signIn(email ?? '', testPassword, home)
  await attack(email ?? '', 80)

  const fromOther = await signIn(email ?? '', testPassword, '192.0.2.1')
  const owner = await signIn(email ?? '', testPassword, home)

  expect(fromOther.body.error_code).toBe('over_request_rate_limit')
  expect(owner.status).toBe(200)
})

// Behind a proxy that is not configured, all clients have its address.
it.each(['10.0.0.1', '127.0.0.1', 'fd00::1', '100.64.3.2'])(
  'H13: does not treat %s as a usual place, so an attacker there gets no extra guesses',
  async (proxy) => {
    const { email = '' } = await auth.given.user()
    await signIn(email ?? '', testPassword, proxy)
    await attack(email ?? '', 50)

    const behindProxy = await signIn(email ?? '', 'wrong', proxy)

    expect(behindProxy.body.error_code).toBe('over_request_rate_limit')
  },
)

it('H13: delays the owner behind such a proxy for 15 minutes after the last guess, and no longer', async () => {
  const { email } = await auth.given.user()
  const fromProxy = (password: string) => signIn(email ?? '', password, '10.0.0.1')
  await fromProxy(testPassword)
  await Promise.all(Array.from({ length: 60 }, () => fromProxy('wrong')))
  for (let failure = 0; failure < 12; failure += 1) {
    const refused = await fromProxy('wrong')
    auth.clock.advance(Number(refused.headers.get('retry-after')))
    await fromProxy('wrong')
  }
  auth.clock.advance(899)
  // Rejected requests do not extend the delay.
  const early = await fromProxy(testPassword)
  auth.clock.advance(1)

  expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await fromProxy(testPassword)).status).toBe(200)
})

it('H13: accepts the owner by a code during the delay, and at another place', async () => {
  const mailing = await startMessagingAuth()
  const { email } = await mailing.given.user()
  const from = (ip: string, password: string) =>
    mailing.post('/token?grant_type=password', { email, password }, { ip })
  await from(home, testPassword)
  await Promise.all(Array.from({ length: 60 }, () => from('10.0.0.1', 'wrong')))

  const byPassword = await from('10.0.0.1', testPassword)
  const atHome = await from(home, testPassword)
  await mailing.post('/otp', { email }, { ip: '10.0.0.1' })
  const { code: token } = await mailing.messageTo(email ?? '')
  const byCode = await mailing.post('/verify', { type: 'email', email, token }, { ip: '10.0.0.1' })
  await mailing.close()

  expect([byPassword.status, atHome.status, byCode.status]).toEqual([429, 200, 200])
})

it.each([
  ['a private address in the declared header', '10.1.2.3', 'invalid_credentials'],
  ['a header without an address', 'client 7', 'over_request_rate_limit'],
])('distinguishes clients by the configured header: %s', async (_case, client, expected) => {
  const declared = await startTestAuth({ rateLimits: { tokenRefresh: 'off', header: 'x-client' } })
  const { email } = await declared.given.user()
  const from = (id: string, password: string, ip = '203.0.113.99') =>
    declared.post(
      '/token?grant_type=password',
      { email, password },
      { headers: { 'x-client': id }, ip },
    )
  await from(client, testPassword)
  await Promise.all(Array.from({ length: 50 }, () => from('stranger', 'wrong', '203.0.113.98')))

  const answer = await from(client, 'wrong')
  await declared.close()

  expect(answer.body.error_code).toBe(expected)
})

it('H09: does not make a usual place of the client that renews a stolen session', async () => {
  const { email = '' } = await auth.given.user()
  const { body } = await signIn(email ?? '', testPassword, home)
  const thief = '198.51.100.77'
  await auth.post(
    '/token?grant_type=refresh_token',
    { refresh_token: body.refresh_token },
    { ip: thief },
  )
  await attack(email ?? '', 60)

  const answer = await signIn(email ?? '', 'a guess', thief)

  expect(answer.body.error_code).toBe('over_request_rate_limit')
})

it('restarts after a right password', async () => {
  const { email = '' } = await auth.given.user()
  await attack(email ?? '', 40)
  await signIn(email ?? '', testPassword, attacker)

  const answers = await attack(email ?? '', 50)

  expect(codes(answers)).toEqual({ invalid_credentials: 50 })
})

it('does not cause a delay when the clock of another instance is ahead', async () => {
  const { email } = await auth.given.user()
  await signIn(email ?? '', 'wrong', attacker)
  auth.clock.advance(-3)

  const answer = await signIn(email ?? '', 'wrong', attacker)

  expect(answer.body.error_code).toBe('invalid_credentials')
})

describe('S118: while the queue of password hashing is full', () => {
  /** Runs requests while the queue is full; by default only that without priority. */
  async function whileFull<T>(
    work: () => Promise<T>,
    admits: PasswordHasher['admits'] = ({ hasPriority }) => hasPriority,
  ): Promise<T> {
    const deps = await auth.deps()
    const { passwords } = deps
    deps.passwords = { ...passwords, admits }
    try {
      return await work()
    } finally {
      deps.passwords = passwords
    }
  }

  it('counts no attempt that it rejects', async () => {
    const { email } = await auth.given.user()

    const rejected = await whileFull(() => attack(email ?? '', 60))
    const afterwards = await attack(email ?? '', 51)

    expect(codes(rejected)).toEqual({ service_unavailable: 60 })
    expect(codes(afterwards)).toEqual({ invalid_credentials: 50, over_request_rate_limit: 1 })
  })

  it('rejects an unknown address, and a known one from elsewhere, alike', async () => {
    const { email } = await auth.given.user()
    await signIn(email ?? '', testPassword, home)

    const [known, unknown] = await whileFull(() =>
      Promise.all([
        signIn(email ?? '', testPassword, attacker),
        signIn('nobody@full.test', testPassword, attacker),
      ]),
    )

    const shown = [known, unknown].map((answer) => ({
      status: answer?.status,
      body: { ...answer?.body, request_id: undefined },
      retryAfter: answer?.headers.get('retry-after'),
    }))
    expect(shown[0]).toEqual(shown[1])
    expect(shown[0]?.status).toBe(503)
  })

  it('signs in the user at the place of an earlier sign-in', async () => {
    const { email } = await auth.given.user()
    await signIn(email ?? '', testPassword, home)

    const again = await whileFull(() => signIn(email ?? '', testPassword, home))

    expect(again.status).toBe(200)
  })

  it('counts no attempt at such a place either, if the queue with priority is full', async () => {
    const { email } = await auth.given.user()
    await signIn(email ?? '', testPassword, home)
    const guess = () => signIn(email ?? '', 'wrong', home)

    const rejected = await whileFull(
      () => Promise.all(Array.from({ length: 60 }, guess)),
      () => false,
    )
    const afterwards = await guess()

    expect(codes(rejected)).toEqual({ service_unavailable: 60 })
    expect(codes([afterwards])).toEqual({ invalid_credentials: 1 })
  })
})

describe('H22: the hash of a password', () => {
  /** Returns the fairness key and priority of an attempt's hash. */
  async function queuePlaceOf(email: string, ip: string): Promise<HashingPriority | undefined> {
    const deps = await auth.deps()
    const { passwords } = deps
    let seen: HashingPriority | undefined
    const verify: PasswordHasher['verify'] = (hash, password, turn) => {
      seen = turn
      return passwords.verify(hash, password, turn)
    }
    deps.passwords = { ...passwords, verify }
    await signIn(email, testPassword, ip)
    deps.passwords = passwords
    return seen
  }
  const proxy = '10.0.0.1'

  it('is counted by client, and by address where clients cannot be distinguished', async () => {
    const { email = '' } = await auth.given.user()

    const [one, other] = [
      await queuePlaceOf(email ?? '', home),
      await queuePlaceOf('nobody@x.test', home),
    ]
    const [behind, beside] = [
      await queuePlaceOf(email ?? '', proxy),
      await queuePlaceOf('nobody@x.test', proxy),
    ]

    expect(one?.path).toEqual(other?.path)
    expect(behind?.path).not.toEqual(beside?.path)
    expect([other?.hasPriority, beside?.hasPriority]).toEqual([false, false])
  })

  it('has priority for an address at the place of an earlier sign-in', async () => {
    const { email = '' } = await auth.given.user()

    const before = await queuePlaceOf(email ?? '', home)
    const again = await queuePlaceOf(email ?? '', home)
    const elsewhere = await queuePlaceOf(email ?? '', attacker)

    expect([before?.hasPriority, again?.hasPriority, elsewhere?.hasPriority]).toEqual([
      false,
      true,
      false,
    ])
  })
})
