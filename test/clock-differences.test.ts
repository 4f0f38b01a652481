import { afterEach, describe, expect, it } from 'vitest'
import { freeFailures } from '../src/limits/count-password-attempt.ts'
import type { AuthConfig } from '../src/platform/config/config.ts'
import { createSweeping } from '../src/service/background/sweep-expired.ts'
import { type MessagingAuth, startMessagingAuth } from './support/messages.ts'
import type { Answer, TestAuth } from './support/test-auth.ts'
import { createTestClock, type TestClock } from './support/test-clock.ts'

// S81: two instances of one database whose clocks differ by an hour share their limits.

const hour = 3600
const client = { ip: '203.0.113.10' }

let auth: MessagingAuth
let closeOther: (() => Promise<void>) | undefined
afterEach(async () => {
  await closeOther?.()
  closeOther = undefined
  await auth.close()
})

type Request = TestAuth['request']

/**
 * Starts two instances, the second with another clock.
 *
 * @param databaseClock null for that of PostgreSQL.
 */
async function startBoth(
  secondsAhead: number,
  config: AuthConfig,
  databaseClock: TestClock | null = createTestClock(),
): Promise<[Request, Request]> {
  auth = await startMessagingAuth(config, { databaseClock })
  const clock = { now: () => new Date(auth.clock.now().getTime() + secondsAhead * 1000) }
  const other = await auth.beside({}, { clock })
  closeOther = other.close
  return [auth.request, other.request]
}

/** Sends requests to both instances by turns. */
async function byTurns(
  [one, other]: [Request, Request],
  count: number,
  send: (request: Request, at: number) => Promise<Answer>,
): Promise<number[]> {
  const statuses: number[] = []
  for (let at = 0; at < count; at += 1) {
    statuses.push((await send(at % 2 === 0 ? one : other, at)).status)
  }
  return statuses
}

const requestCode = (request: Request, email: string, ip = client.ip) =>
  request('POST', '/otp', { body: { email }, ip })
const signIn = (request: Request, email: string, password: string) =>
  request('POST', '/token?grant_type=password', { body: { email, password }, ...client })
const verify = (request: Request, email: string, token: string) =>
  request('POST', '/verify', { body: { type: 'email', email, token }, ...client })

const countOf = (statuses: number[], status: number) =>
  statuses.filter((one) => one === status).length

describe.each([
  ['behind', -hour],
  ['ahead', hour],
])('S81: an instance whose clock is an hour %s', (_, seconds) => {
  it('sends no message within the interval of another one', async () => {
    const both = await startBoth(seconds, {
      email: { autoconfirm: false, maxFrequencySeconds: 60 },
    })
    const { email } = await auth.given.user()

    const statuses = await byTurns(both, 6, (request) => requestCode(request, email ?? ''))

    expect(statuses).toEqual([200, ...Array(5).fill(429)])
    expect(await auth.messagesTo(email ?? '')).toHaveLength(1)
  })

  it('sends no message beyond the budget of all', async () => {
    const limited = (alone: number) =>
      startBoth(alone, { rateLimits: { store: 'postgres', otp: 'off', emailSent: 20 } })
    const sendAll = async (both: [Request, Request]) =>
      countOf(
        await byTurns(both, 40, (request, at) =>
          requestCode(request, `new${at}@example.test`, `198.51.${100 + (at % 100)}.7`),
        ),
        200,
      )
    const alike = await sendAll(await limited(0))
    await closeOther?.()
    await auth.close()

    expect(alike).toBeLessThanOrEqual(20)
    expect(await sendAll(await limited(seconds))).toBe(alike)
  })

  it('compares no password while another one has it wait', async () => {
    const both = await startBoth(seconds, {})
    const { email } = await auth.given.user()

    const statuses = await byTurns(both, freeFailures + 10, (request) =>
      signIn(request, email ?? '', 'wrong'),
    )

    expect(countOf(statuses, 400)).toBe(freeFailures)
    const { status, headers } = await signIn(both[1], email ?? '', 'wrong')
    expect([status, headers.get('retry-after')]).toEqual([429, '1'])
  })

  it('compares no code beyond the attempts for an address', async () => {
    const both = await startBoth(seconds, {})
    const { email } = await auth.given.user()
    await byTurns(both, 40, (request) => verify(request, email ?? '', '000000'))
    await requestCode(both[0], email ?? '')
    const { code } = await auth.messageTo(email ?? '')

    expect((await verify(both[0], email ?? '', code)).status).toBe(403)
  })
})

it('S81: an instance whose clock is ahead deletes no limit that is still counted', async () => {
  const both = await startBoth(0, { email: { autoconfirm: false, maxFrequencySeconds: 60 } })
  const { email } = await auth.given.user()
  await requestCode(both[0], email ?? '')
  await byTurns(both, freeFailures, (request) => signIn(request, email ?? '', 'wrong'))
  auth.clock.advance(48 * hour)

  await createSweeping(await auth.deps()).sweep(10_000)

  expect((await requestCode(both[0], email ?? '')).status).toBe(429)
  expect((await signIn(both[0], email ?? '', 'wrong')).status).toBe(429)
})

it('S81: an instance whose clock is ahead keeps the proofs that other instances must not accept again', async () => {
  const databaseClock = createTestClock()
  await startBoth(0, {}, databaseClock)
  const expiresAt = new Date(databaseClock.now().getTime() + 60_000)
  await auth.rows(
    `insert into auth.oauth_spent_proofs (proof_hash, expires_at) values ('proof', $1)`,
    [expiresAt],
  )
  const left = async () => {
    await createSweeping(await auth.deps()).sweep(10_000)
    return auth.rows('select from auth.oauth_spent_proofs')
  }
  auth.clock.advance(hour)

  expect(await left()).toHaveLength(1)
  databaseClock.advance(61)
  expect(await left()).toHaveLength(0)
})

it('S81: the clock of PostgreSQL decides', async () => {
  const interval = { email: { autoconfirm: false, maxFrequencySeconds: 10 * hour } }
  const both = await startBoth(-hour, interval, null)
  const { email } = await auth.given.user()

  const statuses = await byTurns(both, 4, (request) => requestCode(request, email ?? ''))

  expect(statuses).toEqual([200, 429, 429, 429])
  const [bucket] = await auth.rows(
    `select bool_and(refilled_at between now() - interval '1 hour' and now()) as is_recent
     from auth.rate_limit_buckets`,
  )
  expect(bucket).toEqual({ is_recent: true })
})
