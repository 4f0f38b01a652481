import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

describe('a known path', () => {
  it.each([
    ['/health', 'GET, HEAD'],
    ['/settings', 'GET, HEAD'],
    ['/.well-known/jwks.json', 'GET, HEAD'],
    ['/signup', 'POST'],
    ['/token', 'POST'],
    ['/logout', 'POST'],
    ['/user', 'GET, HEAD, PUT'],
    ['/admin/users', 'GET, HEAD, POST'],
    ['/admin/users/0', 'POST, GET, HEAD, PUT, DELETE'],
  ])('%s rejects another method and lists its own: %s', async (path, allow) => {
    const others = ['PATCH', 'DELETE', 'PROPFIND', 'OPTIONS'].filter((one) => !allow.includes(one))
    for (const method of others) {
      const answer = await auth.request(method, path)

      expect([answer.status, answer.body.error_code]).toEqual([405, 'method_not_allowed'])
      expect(answer.headers.get('allow')).toBe(allow)
    }
  })

  it.each(['/health', '/settings', '/.well-known/jwks.json', '/.well-known/openid-configuration'])(
    '%s responds to HEAD as to GET, without the body',
    async (path) => {
      const get = await auth.get(path)
      const head = await auth.request('HEAD', path)

      expect([head.status, head.text]).toEqual([get.status, ''])
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
    },
  )

  it('requires a token under HEAD as under GET', async () => {
    const { accessToken: token } = await auth.given.session()

    const known = await auth.request('HEAD', '/user', { token })
    const unknown = await auth.request('HEAD', '/user')

    expect([known.status, unknown.status]).toEqual([200, 401])
  })
})
