import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashingBusy } from '../src/credentials/passwords/password-errors.ts'
import { createAuth } from '../src/index.ts'
import { whileWritesBreak } from './support/broken-writes.ts'
import { startTestAuth, type TestAuth, testPassword, testSecret } from './support/test-auth.ts'

// Rule 11, T33, T34: errors and their form.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `rule-${++made}@example.test`

describe('rule 11: invalid input is a 4xx with the field, a fault a 500 without details', () => {
  it.each([
    ['POST', '/signup', { email: 7 }, 'email'],
    ['POST', '/signup', { email: 'a@x.test', password: testPassword, data: [] }, 'data'],
    ['POST', '/token?grant_type=password', { email: 'a@x.test', password: {} }, 'password'],
    ['POST', '/token?grant_type=refresh_token', { refresh_token: true }, 'refresh_token'],
    ['POST', '/token?grant_type=password&grant_type=pkce', {}, 'grant_type'],
    ['POST', '/token?grant_type=pkce', { auth_code: 7, code_verifier: 'x' }, 'auth_code'],
    ['POST', '/otp', { email: {} }, 'email'],
    ['POST', '/otp', { phone: '+15550001', create_user: 'yes' }, 'create_user'],
    ['POST', '/magiclink', { email: 'a@x.test', data: 'x' }, 'data'],
    ['POST', '/recover', { email: true }, 'email'],
    ['POST', '/resend', { type: ['signup'], email: 'a@x.test' }, 'type'],
    ['POST', '/verify', { type: 'email', token: 123456, email: 'a@x.test' }, 'token'],
    ['GET', '/verify?type=email&type=signup&token=x', undefined, 'type'],
  ])('%s %s %j', async (method, path, body, field) => {
    const answer = await auth.request(method, path, { body })

    expect(answer.status).toBe(400)
    expect(answer.body.msg).toContain(`${field}: `)
  })

  it('so is an audience that exceeds the limit of an index', async () => {
    const aud = randomBytes(3000).toString('base64')
    const token = await auth.given.serviceToken()

    const answers = [
      await auth.post(
        '/signup',
        { email: newEmail(), password: testPassword },
        { headers: { 'x-jwt-aud': aud } },
      ),
      await auth.post('/admin/users', { email: newEmail(), aud }, { token }),
    ]

    for (const { status, body } of answers) {
      expect([status, body.msg]).toEqual([400, 'aud: cannot be longer than 255 bytes'])
    }
  })

  it('a fault has an id under which the log contains its cause, and does not end the process', async () => {
    const email = newEmail()
    auth.log.length = 0

    const answer = await whileWritesBreak(auth, () =>
      auth.post('/signup', { email, password: testPassword }),
    )
    const after = await auth.post('/signup', { email, password: testPassword })

    expect([answer.status, answer.body.error_code]).toEqual([500, 'unexpected_failure'])
    expect(answer.body.request_id).toBe(answer.headers.get('x-request-id'))
    expect(auth.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        fields: {
          requestId: answer.body.request_id,
          fault: expect.objectContaining({ code: '23514', stack: expect.any(Array) }),
        },
      }),
    )
    expect(after.status).toBe(200)
  })

  it('T33: no Authorization header ends the process or causes a fault', async () => {
    const headers = [
      '',
      ' ',
      'Bearer',
      'bearer  ',
      'Bearer \t',
      'Bearer a.b.c',
      'Bearer ....',
      'Bearer null',
    ]
    const more = [
      'Bearer {}',
      `Bearer ${'a'.repeat(60_000)}`,
      'Bearer é',
      'Bearer %00',
      'Basic :',
      ',',
      '=',
    ]
    const parts = [
      '',
      '{}',
      '[]',
      'null',
      '{"alg":"HS256"}',
      '{"alg":{}}',
      '"x"',
      '\0',
      '{"kid":[]}',
    ]
    const tokens = parts.flatMap((one) =>
      parts.map(
        (two) =>
          `Bearer ${Buffer.from(one).toString('base64url')}.${Buffer.from(two).toString('base64url')}.AA`,
      ),
    )

    for (const authorization of [...headers, ...more, ...tokens]) {
      for (const [method, path] of [
        ['GET', '/user'],
        ['POST', '/logout'],
        ['GET', '/reauthenticate'],
        ['POST', '/invite'],
        ['POST', '/admin/generate_link'],
        ['POST', '/admin/users'],
      ] as const) {
        const { status } = await auth.request(method, path, { headers: { authorization } })
        expect([401, 403], `${path} ${authorization.slice(0, 60)}`).toContain(status)
      }
    }
  })
})

describe('T34: guards fail closed', () => {
  it('requireUser throws without a signed-in user, whatever the request contains', async () => {
    const { accessToken } = await auth.given.session()
    const good = `Bearer ${accessToken}`
    const refused = [
      { headers: {} },
      { headers: { authorization: undefined } },
      { headers: { authorization: [good] } },
      { headers: { Authorization: good } },
      { headers: new Headers() },
      { headers: { authorization: good.slice(0, -1) } },
      { req: { headers: {} } },
      { req: { headers: new Headers({ authorization: 'Basic x' }) } },
    ]

    for (const request of refused) {
      await expect(auth.auth.requireUser(request as never)).rejects.toMatchObject({
        name: 'AuthError',
      })
    }
    for (const request of [
      { headers: { authorization: good } },
      { headers: new Headers({ authorization: good }) },
      { req: { headers: new Headers({ authorization: good }) } },
    ]) {
      await expect(auth.auth.requireUser(request)).resolves.toMatchObject({
        claims: { aal: 'aal1' },
      })
    }
  })

  it('and throws when the database is unavailable', async () => {
    const { accessToken } = await auth.given.session()
    const lost = createAuth({
      siteUrl: 'https://app.example.test',
      database: 'postgres://127.0.0.1:1/nowhere',
      jwt: { secret: testSecret },
      email: { autoconfirm: true },
    })

    const pending = lost.requireUser({ headers: { authorization: `Bearer ${accessToken}` } })

    await expect(pending).rejects.toMatchObject({ code: 'service_unavailable', status: 503 })
    await lost.close()
  })
})

describe('when more passwords wait for a check than can be made', () => {
  it('requests with a hash get 503 with Retry-After, and all others succeed', async () => {
    const { user, accessToken: token, refreshToken } = await auth.given.session()
    const deps = await auth.deps()
    const { passwords } = deps
    const busy = () => Promise.reject(hashingBusy())
    deps.passwords = { ...passwords, hash: busy, verify: busy, renew: busy }

    const needy = [
      await auth.post('/signup', { email: newEmail(), password: testPassword }),
      await auth.post('/token?grant_type=password', { email: user.email, password: testPassword }),
      await auth.post('/token?grant_type=password', { email: 'nobody@x.test', password: 'x' }),
      await auth.put('/user', { password: 'a brand new password' }, { token }),
    ]
    const others = [
      await auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken }),
      await auth.get('/user', { token }),
      await auth.put('/user', { data: { a: 1 } }, { token }),
      await auth.post('/logout', undefined, { token }),
    ]
    deps.passwords = passwords

    for (const { status, headers, body } of needy) {
      expect([status, headers.get('retry-after'), body.error_code]).toEqual([
        503,
        '1',
        'service_unavailable',
      ])
    }
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 204])
  })
})
