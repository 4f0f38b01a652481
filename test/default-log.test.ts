import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuth } from '../src/index.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { testPassword, testSecret } from './support/test-auth.ts'
import { waitFor } from './support/wait-for.ts'

const email = 'ada@example.test'

let database: TestDatabase
let auth: ReturnType<typeof createAuth>
let written: string[]

beforeEach(async () => {
  database = await createTestDatabase()
  written = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
})
afterEach(async () => {
  await auth.close()
  vi.restoreAllMocks()
  await database.drop()
})

/** Starts a service as in the README, without a logger. */
const start = (more: object = {}) => {
  auth = createAuth({
    siteUrl: 'https://app.example.test',
    database: database.url,
    jwt: { secret: testSecret },
    email: { autoconfirm: true },
    passwords: { argon2: { memoryKib: 7168, iterations: 5, parallelism: 1 } },
    ...more,
  })
}

const ask = (path: string, body?: object, ip: string | undefined = '203.0.113.9') =>
  auth.fetch(
    new Request(`http://auth.test${path}`, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body) }),
    }),
    { ip },
  )

describe('H31: without a logger', () => {
  it('writes a warning as one line to stderr', async () => {
    start()

    await auth.ready()

    expect(written).toEqual([
      expect.stringMatching(/^\[latchkey\] warn: rateLimits\.header is not set.*\n$/),
    ])
  })

  it('logs a failing hook and a mail that is abandoned, without the address', async () => {
    const refuses = async () => {
      throw Object.assign(new Error('no such mailbox'), { responseCode: 550 })
    }
    start({ email: { send: refuses, from: 'a@example.test' } })

    await ask('/signup', { email, password: testPassword })
    await waitFor(() => expect(written.join('\n')).toMatch(/\[latchkey\] (warn|error): .*mail/))

    for (const line of written) expect(line).toMatch(/^[^\r\n]+\n$/)
    expect(written.join()).not.toContain(email)
  })

  it('logs a fault with its cause', async () => {
    start()
    await auth.ready()
    written.length = 0
    await auth.close()

    const { status } = await ask('/signup', { email, password: testPassword })

    expect(status).toBe(503)
    expect(written).toEqual([expect.stringMatching(/^\[latchkey\] error: not running .*"fault":/)])
  })

  it('keeps no line in memory for an unread stderr above one megabyte', async () => {
    const waiting = vi.spyOn(process.stderr, 'writableLength', 'get').mockReturnValue(1_048_577)
    start()

    await auth.ready()
    expect(written).toEqual([])
    waiting.mockReturnValue(0)
    await auth.close()
    await ask('/signup', { email, password: testPassword })

    expect(written).toHaveLength(1)
  })

  it('logs neither normal operation nor responses', async () => {
    start({ rateLimits: { header: 'x-client' } })

    const { status: made } = await ask('/signup', { email, password: testPassword })
    const wrong = { email, password: 'a wrong password' }
    const { status: refused } = await ask('/token?grant_type=password', wrong)

    expect([made, refused, written]).toEqual([200, 400, []])
  })

  it('is silent where it is configured', async () => {
    start({ logger: false })

    await auth.ready()
    await auth.close()
    await ask('/signup', { email, password: testPassword })

    expect(written).toEqual([])
  })

  it.each([
    ['', /fetch received no `ip`/],
    ['203.0.113.9:4711', /fetch received an `ip` that is no address/],
    ['[2001:db8::1]', /fetch received an `ip` that is no address/],
    ['canary', /fetch received an `ip` that is no address/],
  ])('logs once that a request has no usable client address (ip: %j)', async (ip, line) => {
    start()
    await auth.ready()
    written.length = 0

    await ask('/token?grant_type=password', { email, password: testPassword }, ip)
    await ask('/token?grant_type=password', { email, password: testPassword }, ip)
    await auth.app.fetch(new Request('http://auth.test/health'))

    expect(written).toEqual([expect.stringMatching(line)])
    if (ip) expect(written.join()).not.toContain(ip)
  })

  it.each([
    ['with an address', {}, '203.0.113.9'],
    ['with one of a private network, as behind a proxy', {}, '::ffff:10.0.0.1'],
    ['where a header identifies clients', { rateLimits: { header: 'x-client' } }, ''],
    ['where a proxy sends it', { security: { svcForwardedForEnabled: true } }, ''],
  ])('logs nothing about a request %s', async (_, more, ip) => {
    start(more)
    await auth.ready()
    written.length = 0

    await ask('/token?grant_type=password', { email, password: testPassword }, ip)

    expect(written).toEqual([])
  })
})
