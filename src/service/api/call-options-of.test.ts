import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

let auth: TestAuth
beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

const headers = {
  'user-agent': 'Firefox',
  'accept-language': 'de-AT, en;q=0.5',
  'x-forwarded-for': '198.51.100.1',
}
const expected = { ip: '203.0.113.7', userAgent: 'Firefox', languages: ['de-AT', 'en'] }

describe('auth.callOptions', () => {
  it.each([
    ['node:http', { headers, socket: { remoteAddress: '203.0.113.7' }, ip: '198.51.100.2' }],
    ['srvx', Object.assign(new Request('http://app.test', { headers }), { ip: '203.0.113.7' })],
    ['h3', { req: { headers: new Headers(headers), ip: '203.0.113.7' } }],
  ])('reads the client of a request of %s, and no header for its address', (_, request) => {
    expect(auth.auth.callOptions(request)).toEqual(expected)
  })

  it('accepts the address from the host, and omits an unknown one', () => {
    const request = new Request('http://app.test', { headers })

    expect(auth.auth.callOptions(request, { ip: '203.0.113.7' })).toEqual(expected)
    expect(auth.auth.callOptions(request)).not.toHaveProperty('ip')
    expect(auth.auth.callOptions({ headers: {} })).toEqual({ languages: [] })
  })

  it.each([7, {}, ['203.0.113.7']])('rejects the address %j, which is no text', async (ip) => {
    const request = new Request('http://app.test', { headers })
    const options = { ip } as object
    const error = new TypeError('ip must be a text')

    expect(() => auth.auth.callOptions(request, options)).toThrow(error)
    await expect(
      auth.auth.api.resetPasswordForEmail({ email: 'x@example.test' }, options),
    ).rejects.toThrow(error)
  })

  it('stores address and user agent with the session of a call', async () => {
    const { email } = await auth.given.user('called@example.test')
    const request = { headers, socket: { remoteAddress: '203.0.113.7' } }
    const credentials = { email: email ?? '', password: testPassword }

    await auth.auth.api.signInWithPassword(credentials, auth.auth.callOptions(request))

    const rows = await auth.rows(`select s.ip, s.user_agent from auth.sessions s
      join auth.users u on u.id = s.user_id where u.email = 'called@example.test'`)
    expect(rows).toContainEqual({ ip: '203.0.113.7', user_agent: 'Firefox' })
  })
})
