import { afterEach, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import type { AuthConfig } from '../../platform/config/config.ts'

let auth: TestAuth
afterEach(() => auth.close())

const start = async (rateLimits: AuthConfig['rateLimits'], config: AuthConfig = {}) => {
  auth = await startTestAuth({ rateLimits, ...config })
}
const refresh = (ip: string, headers = {}) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: 'aaaaaaaaaaaa' }, { ip, headers })

const times = async <T>(count: number, ask: () => Promise<T>): Promise<T[]> => {
  const answers: T[] = []
  for (let index = 0; index < count; index += 1) answers.push(await ask())
  return answers
}

it('responds 429 with Retry-After beyond 30 at once, and accepts requests as the allowance refills', async () => {
  await start({ tokenRefresh: 150 })

  const answers = await times(31, () => refresh('203.0.113.7'))
  const other = await refresh('203.0.113.8')
  auth.clock.advance(2)
  const later = await refresh('203.0.113.7')

  expect(answers.slice(0, 30).every(({ status }) => status === 400)).toBe(true)
  expect(answers[30]?.status).toBe(429)
  expect(answers[30]?.body).toMatchObject({ error_code: 'over_request_rate_limit', retry_after: 2 })
  expect(answers[30]?.headers.get('retry-after')).toBe('2')
  expect([other.status, later.status]).toEqual([400, 400])
})

it('counts requests by which a signed-in user stores rows: challenges, devices, audit entries', async () => {
  await start(
    { passkey: 1, challengeAndVerify: 1, otp: 1 },
    { passkeys: { enabled: true }, mfa: { trustedDevices: { enabled: true } } },
  )
  const { accessToken: token } = await auth.given.session()
  const requested = [
    ['POST', '/passkeys/registration/options', {}],
    ['PATCH', '/passkeys/7f3a3f0c-0000-4000-8000-000000000000', { friendly_name: 'mine' }],
    ['POST', '/trusted-devices', {}],
    ['POST', '/trusted-devices/verify', { secret: 'a' }],
  ] as const

  const last = []
  for (const [method, path, body] of requested) {
    const answers = await times(31, () => auth.request(method, path, { body, token }))
    last.push(answers.slice(-2).map(({ status }) => status))
  }

  expect(last).toEqual([
    [200, 429],
    [404, 429],
    [404, 429],
    [404, 429],
  ])
})

it('accepts 15 challenges to factors a minute, and 15 verifications, after 30 at once, each separately', async () => {
  await start({ challengeAndVerify: 15 })
  const { accessToken: token } = await auth.given.session()
  const path = '/factors/7f3a3f0c-0000-4000-8000-000000000000'
  const ask = (what: string) => auth.post(`${path}/${what}`, {}, { token })

  const answers = await times(31, () => ask('challenge'))
  const other = await ask('verify')
  auth.clock.advance(4)
  const later = await ask('challenge')

  expect(answers.slice(0, 30).every(({ status }) => status === 404)).toBe(true)
  expect(answers[30]?.body).toMatchObject({ error_code: 'over_request_rate_limit', retry_after: 4 })
  expect([other.status, later.status]).toEqual([404, 404])
})

it('does not limit per client behind a proxy that is not configured', async () => {
  await start({ tokenRefresh: 150 })

  const answers = await times(40, () => refresh('10.0.0.1'))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
})

it('warns once of a private peer without the declared header, and names the headers of a proxy', async () => {
  await start({ tokenRefresh: 150, otp: 'off', header: 'x-real-ip' })
  const warnings = () => auth.log.filter(({ fields }) => fields['setting'] === 'rateLimits.header')
  await auth.get('/health', { ip: '127.0.0.1' })
  await auth.post('/otp', {}, { ip: '127.0.0.1' })
  await refresh('203.0.113.7')
  await refresh('127.0.0.1', { 'x-real-ip': '203.0.113.7' })
  const before = warnings()

  await times(3, () => refresh('127.0.0.1', { 'x-forwarded-for': '203.0.113.8' }))

  expect(before).toEqual([])
  expect(warnings()).toEqual([
    {
      level: 'warn',
      fields: { setting: 'rateLimits.header', header: 'x-real-ip', present: ['x-forwarded-for'] },
      message: expect.stringContaining('no header x-real-ip'),
    },
  ])
  expect(JSON.stringify(warnings())).not.toContain('203.0.113')
})

it('counts by the configured header, and each endpoint separately', async () => {
  await start({ tokenRefresh: 150, otp: 30, header: 'X-Client-Key' })
  const headers = { 'x-client-key': 'tenant-7' }
  await times(30, () => refresh('10.0.0.1', headers))

  const token = await refresh('10.0.0.2', headers)
  const signUp = await auth.post('/signup', {}, { headers })

  expect([token.status, signUp.status]).toEqual([429, 422])
})

it('counts by the first value of Svc-Forwarded-For where that is enabled', async () => {
  await start({ tokenRefresh: 150 }, { security: { svcForwardedForEnabled: true } })
  const from = (value: string) => refresh('10.0.0.1', { 'svc-forwarded-for': value })

  const answers = await times(30, () => from('203.0.113.77, 10.0.0.1'))
  const more = [await from('203.0.113.77'), await from('203.0.113.78'), await from('nonsense')]

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
  expect(more.map(({ status }) => status)).toEqual([429, 400, 400])
})

/** Headers of one client's requests behind a proxy that appends the address of its peer. */
const asRotated: Record<string, [header: string, value: (index: number) => string]> = {
  'a first value that changes': ['X-Forwarded-For', (i) => `198.51.100.${i}, 203.0.113.7`],
  'a private address that changes': ['X-Forwarded-For', (i) => `10.0.1.${i}, 203.0.113.7`],
  'a port that changes': ['X-Forwarded-For', (i) => `203.0.113.7:${50_000 + i}`],
  'IPv6 with a port': ['X-Forwarded-For', (i) => `[2001:db8::${i}]:${50_000 + i}`],
  'an empty first element': ['X-Forwarded-For', () => ', 203.0.113.7'],
  'nothing but a comma': ['X-Forwarded-For', () => ','],
  'no address': ['X-Forwarded-For', (i) => `host-${i}`],
  'for= that changes': ['Forwarded', (i) => `for=198.51.100.${i}, for="203.0.113.7:${5000 + i}"`],
  'half a quoted text': ['Forwarded', (i) => `for="x${i}, for=203.0.113.7;proto=https`],
  'an empty key': ['X-Client-Key', () => ', x'],
  'a long key': ['X-Client-Key', () => 'k'.repeat(8192)],
}

it.each(Object.entries(asRotated))(
  'H25: limits a client behind a proxy that sends %s',
  async (_, rotated) => {
    const [header, value] = rotated
    await start({ tokenRefresh: 150, header })
    const taken: string[] = []
    const { limits } = await auth.deps()
    const take = limits.take.bind(limits)
    limits.take = (counted) => {
      taken.push(...counted.map(({ key }) => key))
      return take(counted)
    }

    const statuses: number[] = []
    for (let index = 1; index <= 32; index += 1) {
      const answer = await refresh('10.0.0.1', { [header]: value(index) })
      statuses.push(answer.status)
    }

    expect(statuses).toEqual([...Array(30).fill(400), 429, 429])
    expect(Math.max(...taken.map((key) => key.length))).toBeLessThanOrEqual('token:'.length + 64)
  },
)

it.each([['memory'], ['postgres']] as const)(
  'S16: limits a /64 once, a /56 to 8 times and a /48 to 32 times as much, in %s',
  async (store) => {
    await start({ anonymousUsers: 1, store }, { anonymousUsers: { enabled: true } })
    const signUp = (network: number) =>
      auth.post('/signup', {}, { ip: `2001:db8:1:${network.toString(16)}::1` })
    const allowed = async (networks: number[]) => {
      const answers = await Promise.all(networks.map(signUp))
      return answers.filter(({ status }) => status === 200).length
    }
    const range = (first: number, count: number) =>
      Array.from({ length: count }, (_, index) => first + index)

    expect(await allowed([7, 7, 7])).toBe(1)
    expect(await allowed(range(0, 12))).toBe(7)
    for (const subnet of range(1, 3)) expect(await allowed(range(subnet * 256, 8))).toBe(8)
    // None of the /64 has been counted yet, but the /48 has no request left.
    expect(await allowed([0x500, 0xffff])).toBe(0)
    expect((await auth.post('/signup', {}, { ip: '2001:db8:2::1' })).status).toBe(200)
  },
)

it('S16: does not limit a /24, which several customers may share', async () => {
  await start({ anonymousUsers: 1 }, { anonymousUsers: { enabled: true } })

  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, index) =>
      auth.post('/signup', {}, { ip: `203.0.113.${index}` }),
    ),
  )

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

it('sets no limit where it is disabled', async () => {
  await start({ tokenRefresh: 'off' })

  const answers = await times(40, () => refresh('203.0.113.7'))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([400]))
})

it('is shared by instances that count in the database', async () => {
  await start({ tokenRefresh: 150, store: 'postgres' })
  const second = await auth.beside()
  await times(30, () => refresh('203.0.113.7'))

  const elsewhere = await second.request('POST', '/token?grant_type=refresh_token', {
    body: { refresh_token: 'aaaaaaaaaaaa' },
    ip: '203.0.113.7',
  })
  await second.close()

  expect(elsewhere.status).toBe(429)
})
