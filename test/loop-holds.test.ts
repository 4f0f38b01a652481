import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mainThreadMs, parsingMs } from './support/main-thread.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

/**
 * The maximum time for which a request may block the event loop: 20 ms, and on slower machines as
 * long as ten megabytes of JSON.
 */
const maxHoldMs = Math.max(20, 10 * (await parsingMs()))

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({ mfa: { maxEnrolledFactors: 100 } })
})
afterAll(() => auth.close())

const brackets = `{"x":${'['.repeat(524_000)}${']'.repeat(524_000)}}`
const manyKeys = (field: string) => {
  const keys = Array.from({ length: 70_000 }, (_, key) => `"k${key}":0`)
  return `{"email":"ada@example.test","${field}":{${keys.join()}}}`
}
const longKeys = `{"data":{${Array.from({ length: 1_000 }, (_, key) => `"${'k'.repeat(1_000)}${key}":0`).join()}}}`
const long = (field: string) => JSON.stringify({ [field]: 'x'.repeat(1_000_000) })
const accented = JSON.stringify({ email: 'ada@example.test', data: { a: 'é'.repeat(500_000) } })
const escaped = `{"email":"ada@example.test","data":{"a":"${'\\u0041'.repeat(170_000)}"}}`
/** The largest accepted input, in the form that takes longest. */
const atTheLimit = JSON.stringify({
  email: 'ada@example.test',
  password: 'correct horse',
  data: Object.fromEntries(Array.from({ length: 4_000 }, (_, key) => [`k${key}`, 0])),
})

describe.each([
  ['/signup', brackets, 'brackets in an unknown field'],
  ['/signup', manyKeys('x'), '70,000 keys in an unknown field'],
  ['/signup', manyKeys('data'), '70,000 keys of metadata'],
  ['/signup', atTheLimit, '4,000 keys of metadata'],
  ['/signup', longKeys, 'a thousand long keys'],
  ['/signup', accented, 'a megabyte of text'],
  ['/signup', escaped, 'a megabyte of escapes'],
  ['/signup', long('password'), 'a megabyte of password'],
  ['/signup', long('email'), 'a megabyte of email'],
  ['/otp', long('phone'), 'a megabyte of phone'],
  ['/token?grant_type=password', brackets, 'brackets'],
  ['/token?grant_type=password', long('password'), 'a megabyte of password'],
  ['/token?grant_type=refresh_token', long('refresh_token'), 'a megabyte of refresh token'],
  ['/token?grant_type=pkce', long('auth_code'), 'a megabyte of code'],
  ['/verify', long('token_hash'), 'a megabyte of secret'],
])('H18: POST %s', (path, body, what) => {
  it(`is not blocked by ${what}`, async () => {
    const statuses = new Set<number>()

    const ms = await mainThreadMs(async () => {
      const { status } = await auth.post(path, body)
      statuses.add(status)
    }, maxHoldMs)

    expect(Math.max(...statuses)).toBeLessThan(500)
    expect(Math.min(...statuses)).toBeGreaterThanOrEqual(400)
    expect(ms).toBeLessThan(maxHoldMs)
  })
})

describe('H18: other long input', () => {
  const megabyte = 'x'.repeat(1_000_000)

  it.each<[string, () => Promise<unknown>]>([
    ['a refresh token in code', () => auth.auth.api.refreshSession({ refreshToken: megabyte })],
    ['an access token in code', () => auth.auth.verifyToken(megabyte)],
    ['an access token of segments', () => auth.auth.verifyToken(`${megabyte}.${megabyte}.x`)],
    ['a bearer token', () => auth.get('/user', { token: megabyte })],
    ['a language', () => auth.get('/user', { headers: { 'accept-language': megabyte } })],
    [
      'a list of languages',
      () => auth.get('/user', { headers: { 'accept-language': ','.repeat(1_000_000) } }),
    ],
    [
      'a forwarded address',
      () => auth.get('/user', { headers: { 'x-forwarded-for': '1,'.repeat(500_000) } }),
    ],
    ['an audience', () => auth.get('/user', { headers: { 'x-jwt-aud': megabyte } })],
    ['a user agent', () => auth.get('/user', { headers: { 'user-agent': megabyte } })],
    ['a query', () => auth.get(`/verify?${'a=1&'.repeat(250_000)}`)],
    [
      'a target',
      () =>
        auth.post(`/recover?redirect_to=${'https://a.'.repeat(100_000)}`, {
          email: 'ada@example.test',
        }),
    ],
    [
      'a referrer',
      () =>
        auth.post(
          '/recover',
          { email: 'ada@example.test' },
          { headers: { referer: `https://app.example.test/${megabyte}` } },
        ),
    ],
    ['a path', () => auth.get(`/${megabyte}`)],
  ])('%s holds nobody up', async (_, act) => {
    const ms = await mainThreadMs(() => act().catch(() => null), maxHoldMs)

    expect(ms).toBeLessThan(maxHoldMs)
  })

  it('input of operators does not block either', async () => {
    const token = await auth.given.serviceToken()
    const { listUsers, listAudit } = auth.auth.admin
    const ban = { email: 'ada@example.test', ban_duration: '1h'.repeat(400_000) }

    const requests: (() => Promise<unknown>)[] = [
      () => auth.post('/admin/users', ban, { token }),
      () => listUsers({ filter: megabyte }),
      () => listUsers({ emailPrefix: megabyte }),
      () => listUsers({ cursor: `${megabyte}.x` }),
      () => listAudit({ query: `author:${megabyte}` }),
    ]
    for (const ask of requests) {
      const ms = await mainThreadMs(() => ask().catch(() => null), maxHoldMs)
      expect(ms).toBeLessThan(maxHoldMs)
    }
  })

  it.each(['/admin/users?filter=', '/admin/audit?query=author:'])(
    'GET %s accepts 255 bytes, which the database searches for',
    async (path) => {
      const token = await auth.given.serviceToken()
      const statusFor = async (bytes: number) =>
        (await auth.get(`${path}${'%25a'.repeat(bytes / 2)}`, { token })).status

      expect([await statusFor(200), await statusFor(400)]).toEqual([200, 400])
    },
  )

  it('512 characters of a user agent are stored', async () => {
    const { user } = await auth.given.session('browser@example.test')
    const body = { email: 'browser@example.test', password: 'correct horse' }
    const headers = { 'user-agent': 'x'.repeat(16_000) }
    await auth.post('/token?grant_type=password', body, { headers })

    const [longest] = await auth.rows<{ length: number }>(
      'select max(length(user_agent)) as length from auth.sessions where user_id = $1',
      [user.id],
    )

    expect(longest?.length).toBe(512)
  })

  it('a QR code takes little time', async () => {
    const { accessToken: token } = await auth.given.session(
      `${'e'.repeat(60)}@${'d'.repeat(60)}.test`,
    )
    let made = 0

    const ms = await mainThreadMs(async () => {
      made += 1
      const body = { factor_type: 'totp', friendly_name: `app ${made}`, issuer: 'i'.repeat(100) }
      const answer = await auth.post('/factors', body, { token })
      expect(answer.body.totp.qr_code).toContain('<svg')
    }, maxHoldMs)

    expect(ms).toBeLessThan(maxHoldMs)
  })
})
