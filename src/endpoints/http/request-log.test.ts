import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

beforeAll(async () => {
  auth = await startTestAuth({ server: { requestIdHeader: 'X-Trace' } })
})
beforeEach(() => {
  auth.log.length = 0
})
afterAll(() => auth.close())

describe('the id of a request', () => {
  it('is new each time', async () => {
    const [one, two] = [await auth.get('/health'), await auth.get('/health')]

    expect(one.headers.get('x-request-id')).toMatch(uuid)
    expect(two.headers.get('x-request-id')).not.toBe(one.headers.get('x-request-id'))
  })

  it('is in every response: header, body and log agree', async () => {
    const answer = await auth.get('/user')

    const id = answer.headers.get('x-request-id')
    expect(answer.body.request_id).toBe(id)
    expect(auth.log.at(-1)?.fields).toMatchObject({ requestId: id })
  })

  it('is read from the configured header', async () => {
    const answer = await auth.get('/user', { headers: { 'x-trace': 'Root=1-67891233:abc/d' } })

    expect(answer.headers.get('x-request-id')).toBe('Root=1-67891233:abc/d')
  })

  it.each(['', 'a b', 'a\tb', '"', 'x'.repeat(129), 'é', '<script>', 'one, two'])(
    'is new where that header contains %j',
    async (value) => {
      const answer = await auth.get('/user', { headers: { 'x-trace': value } })

      expect(answer.headers.get('x-request-id')).toMatch(uuid)
    },
  )
})

describe('a response', () => {
  it.each(['/user', '/nowhere', '/health', '/settings', '/user%zz'])(
    'of %s is not cached',
    async (path) => {
      const answer = await auth.get(path)

      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  it('with tokens is not cached', async () => {
    const { email } = await auth.given.user()

    const answer = await auth.post('/token?grant_type=password', { email, password: testPassword })

    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  it('with public keys may be cached for a time', async () => {
    const answer = await auth.get('/.well-known/jwks.json')

    expect(answer.headers.get('cache-control')).toBe('public, max-age=600')
  })
})

describe('the log of a request', () => {
  it('is one line, with the route in place of the path and without the query', async () => {
    await auth.get('/admin/users/somebody?token=secret', { token: await auth.given.serviceToken() })

    expect(auth.log).toEqual([
      {
        level: 'warn',
        message: 'request completed',
        fields: {
          requestId: expect.stringMatching(uuid),
          method: 'GET',
          route: '/admin/users/:user_id',
          status: 404,
          durationMs: expect.any(Number),
          errorCode: 'validation_failed',
        },
      },
    ])
  })

  it('has no warning about a successful request', async () => {
    await auth.get('/settings')

    expect(auth.log).toMatchObject([{ level: 'info', fields: { status: 200 } }])
  })

  it('leaves health checks out', async () => {
    await auth.get('/health')

    expect(auth.log).toEqual([])
  })
})
