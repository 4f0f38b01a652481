import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth

const origin = 'https://somewhere.test'
const list = (text: string | null) => (text ?? '').toLowerCase().split(/, ?/)

beforeAll(async () => {
  auth = await startTestAuth({ server: { cors: { allowedHeaders: ['X-Of-The-Operator'] } } })
})
afterAll(() => auth.close())

describe('a script of any origin', () => {
  it.each(['/signup', '/admin/users/1', '/nowhere'])(
    'receives permission in a preflight request to call %s',
    async (path) => {
      const headers = { origin, 'access-control-request-method': 'PUT' }

      const answer = await auth.request('OPTIONS', path, { headers })

      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(list(answer.headers.get('access-control-allow-methods'))).toEqual([
        'get',
        'post',
        'put',
        'patch',
        'delete',
      ])
    },
  )

  it('may send the headers of clients, and those that the operator adds', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' }

    const answer = await auth.request('OPTIONS', '/token', { headers })

    expect(list(answer.headers.get('access-control-allow-headers'))).toEqual(
      expect.arrayContaining([
        'accept',
        'authorization',
        'content-type',
        'x-client-info',
        'x-jwt-aud',
        'apikey',
        'x-supabase-api-version',
        'x-client-ip',
        'x-use-cookie',
        'x-supabase-client-platform',
        'x-supabase-client-platform-version',
        'x-supabase-client-runtime',
        'x-supabase-client-runtime-version',
        'traceparent',
        'tracestate',
        'baggage',
        'x-of-the-operator',
      ]),
    )
  })

  it('never receives permission to send cookies, since none are read', async () => {
    const headers = { origin, 'access-control-request-method': 'POST' }

    const before = await auth.request('OPTIONS', '/token', { headers })
    const call = await auth.get('/settings', { headers: { origin } })

    for (const answer of [before, call]) {
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
    }
  })

  it.each([
    ['an answer', 'GET', '/settings', 200],
    ['a refusal', 'GET', '/user', 401],
    ['a body that cannot be read', 'POST', '/signup', 400],
    ['a path that is not there', 'GET', '/nowhere', 404],
    ['a path that cannot be decoded', 'GET', '/user%zz', 404],
    ['a method that is not there', 'DELETE', '/user', 405],
    ['a request without a method to ask for', 'OPTIONS', '/user', 405],
  ])('can read %s', async (_, method, path, status) => {
    const answer = await auth.request(method, path, { headers: { origin } })

    expect(answer.status).toBe(status)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(list(answer.headers.get('access-control-expose-headers'))).toEqual(
      expect.arrayContaining(['x-supabase-api-version', 'x-total-count', 'link', 'x-request-id']),
    )
  })

  it('can read a response to a request without an origin: a cache may share it', async () => {
    const answer = await auth.get('/settings')

    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })
})
