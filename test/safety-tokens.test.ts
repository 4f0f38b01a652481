import { createHmac, generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueOneTimeToken } from '../src/accounts/one-time-tokens/issue-one-time-token.ts'
import { deriveKey } from '../src/platform/kit/derived-keys.ts'
import { type GivenSession, startTestAuth, type TestAuth, testSecret } from './support/test-auth.ts'

// Rule 7, T28, T29, T36: the access that a token gives its bearer.

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

/** Signs with an RSA key, and accepts the shared secret, too. */
let auth: TestAuth

beforeAll(async () => {
  const jwk = privateKey.export({ format: 'jwk' }) as never as { kty: 'RSA' }
  auth = await startTestAuth({
    jwt: { secret: testSecret, keys: [{ ...jwk, kid: 'rsa-1', alg: 'RS256', key_ops: ['sign'] }] },
  })
})
afterAll(() => auth.close())

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Creates a JWT as an attacker does: any header, an HMAC with any key. */
function handMade(header: object, claims: object, key: string | Buffer): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
}

/** Creates a secret of each kind, by name. */
async function everyKind({ user, accessToken, refreshToken }: GivenSession) {
  const { random, roots } = await auth.deps()
  const oneTime = issueOneTimeToken(
    { random, roots },
    {
      userId: user.id,
      purpose: 'recovery',
      requestedBy: 'signup',
      requestedFrom: null,
      audience: 'authenticated',
      sentTo: 'x',
      lifetimeSeconds: 3600,
      codeLength: 6,
      codeChallenge: null,
    },
    auth.clock.now(),
  )
  return {
    access: accessToken,
    refresh: refreshToken,
    service: await auth.given.serviceToken(),
    link: oneTime.secret,
    code: oneTime.code,
  }
}

/** The endpoints that secrets are presented to, and the result. */
const entryPoints: Record<string, (secret: string) => Promise<unknown>> = {
  user: async (token) => (await auth.get('/user', { token })).status,
  signOut: async (token) => (await auth.post('/logout?scope=local', undefined, { token })).status,
  admin: async (token) => (await auth.get(`/admin/users/${someId}`, { token })).body.error_code,
  refresh: async (token) =>
    (await auth.post('/token?grant_type=refresh_token', { refresh_token: token })).status,
}
const someId = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'

describe('rule 7, T28: each kind of token is accepted at its own endpoint only', () => {
  it.each([
    ['access', { user: 200, signOut: 204, admin: 'not_admin', refresh: 400 }],
    ['refresh', { user: 403, signOut: 403, admin: 'bad_jwt', refresh: 200 }],
    ['service', { user: 403, signOut: 403, admin: 'user_not_found', refresh: 400 }],
    ['link', { user: 403, signOut: 403, admin: 'bad_jwt', refresh: 400 }],
    ['code', { user: 403, signOut: 403, admin: 'bad_jwt', refresh: 400 }],
  ] as const)('%s', async (kind, expected) => {
    for (const [entryPoint, opens] of Object.entries(expected)) {
      const secrets = await everyKind(await auth.given.session())
      expect(await entryPoints[entryPoint]?.(secrets[kind]), entryPoint).toBe(opens)
    }
  })

  it('no derived key signs access tokens, and the signing secret signs nothing else', async () => {
    const { user, refreshToken } = await auth.given.session()
    const claims = { sub: user.id, aud: 'authenticated' }
    const derived = (
      ['refresh-token', 'one-time-code', 'sealed-box', 'list-cursor'] as const
    ).flatMap((purpose) => [
      deriveKey(testSecret, purpose),
      deriveKey(testSecret, purpose, user.id),
    ])

    for (const key of derived) {
      const token = handMade({ alg: 'HS256', typ: 'JWT' }, claims, key)
      expect((await auth.get('/user', { token })).body.error_code).toBe('bad_jwt')
    }
    const bytes = Buffer.from(refreshToken, 'base64url')
    const body = bytes.subarray(0, -20)
    const bySecret = createHmac('sha256', testSecret).update(body).digest().subarray(0, 16)
    expect(bytes.subarray(-20, -4).equals(bySecret)).toBe(false)
  })
})

describe('T29: the algorithm belongs to the key', () => {
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const jwkText = JSON.stringify(publicKey.export({ format: 'jwk' }))
  const admin = { role: 'service_role', sub: someId, aud: 'authenticated' }

  it.each([
    ['alg none without signature', () => `${encode({ alg: 'none' })}.${encode(admin)}.`],
    ['alg none with a signature', () => handMade({ alg: 'none' }, admin, testSecret)],
    ['alg none in capitals', () => handMade({ alg: 'NONE', kid: 'rsa-1' }, admin, testSecret)],
    [
      'the public key in PEM as HMAC secret',
      () => handMade({ alg: 'HS256', kid: 'rsa-1' }, admin, pem),
    ],
    ['the same without a name', () => handMade({ alg: 'HS256' }, admin, pem)],
    ['the public key in DER', () => handMade({ alg: 'HS256', kid: 'rsa-1' }, admin, der)],
    ['the public key as JWK', () => handMade({ alg: 'HS256', kid: 'rsa-1' }, admin, jwkText)],
    [
      'the secret under the name of the RSA key',
      () => handMade({ alg: 'HS256', kid: 'rsa-1' }, admin, testSecret),
    ],
    [
      'RS256 claimed over an HMAC',
      () => handMade({ alg: 'RS256', kid: 'rsa-1' }, admin, testSecret),
    ],
    [
      'RS256 with an unknown name',
      () => handMade({ alg: 'RS256', kid: 'rsa-2' }, admin, testSecret),
    ],
    [
      'a key that the token brings along',
      () => handMade({ alg: 'HS256', jwk: { kty: 'oct', k: 'eA' } }, admin, 'x'),
    ],
    ['an empty HMAC key', () => handMade({ alg: 'HS256' }, admin, '')],
    ['a name that is an object', () => handMade({ alg: 'RS256', kid: { a: 1 } }, admin, 'x')],
    ['a name of the prototype', () => handMade({ alg: 'RS256', kid: '__proto__' }, admin, 'x')],
    [
      'a huge token',
      () => handMade({ alg: 'HS256' }, { ...admin, x: 'x'.repeat(40_000) }, testSecret),
    ],
  ])('%s is rejected', async (_case, make) => {
    const token = make()

    const answers = [
      await auth.get('/user', { token }),
      await auth.post('/admin/users', {}, { token }),
    ]

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, 'bad_jwt'],
      [403, 'bad_jwt'],
    ])
    await expect(auth.auth.verifyToken(token)).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  it('and a token with the shared secret that states it is accepted', async () => {
    const token = handMade({ alg: 'HS256', typ: 'JWT' }, { role: 'service_role' }, testSecret)

    const answer = await auth.get(`/admin/users/${someId}`, { token })

    expect(answer.body.error_code).toBe('user_not_found')
  })
})

describe('T36: only an operator’s token makes an operator, whatever the body contains', () => {
  const body = {
    email: 'trust@example.test',
    role: 'service_role',
    user_id: someId,
    id: someId,
    service_role: true,
    token: 'x',
    access_token: 'x',
    apikey: 'x',
    admin: true,
  }
  const routes = [
    ['POST', '/invite'],
    ['POST', '/admin/generate_link'],
    ['POST', '/admin/users'],
    ['POST', `/admin/users/${someId}`],
    ['GET', `/admin/users/${someId}`],
    ['PUT', `/admin/users/${someId}`],
  ] as const

  const attempts: [string, () => Promise<Record<string, string>>, number, string][] = [
    ['nobody', async () => ({}), 401, 'no_authorization'],
    [
      'an API key alone',
      async () => ({ apikey: await auth.given.serviceToken() }),
      401,
      'no_authorization',
    ],
    ['basic credentials', async () => ({ authorization: 'Basic YTpi' }), 401, 'no_authorization'],
    [
      'a signed-in user',
      async () => ({ authorization: `Bearer ${(await auth.given.session()).accessToken}` }),
      ...([403, 'not_admin'] as const),
    ],
    [
      'a token of another role',
      async () => ({ authorization: `Bearer ${await auth.given.serviceToken('anon')}` }),
      ...([403, 'not_admin'] as const),
    ],
    [
      'a token whose role is a list',
      async () => ({ authorization: `Bearer ${await signed({ role: ['service_role'] })}` }),
      ...([403, 'not_admin'] as const),
    ],
    [
      'a token that says it in its metadata',
      async () => ({
        authorization: `Bearer ${await signed({ app_metadata: { role: 'service_role' } })}`,
      }),
      ...([403, 'not_admin'] as const),
    ],
    [
      'an operator’s token for another audience',
      async () => ({
        authorization: `Bearer ${await signed({ role: 'service_role', aud: 'elsewhere' })}`,
      }),
      ...([403, 'bad_jwt'] as const),
    ],
    [
      'an operator’s token that expired',
      async () => ({ authorization: `Bearer ${await signed({ role: 'service_role', exp: 1 })}` }),
      ...([403, 'bad_jwt'] as const),
    ],
  ]
  const signed = async (claims: object) => (await auth.deps()).keys.sign(claims)

  it.each(attempts)('%s is rejected at every endpoint', async (_who, headersOf, status, code) => {
    for (const [method, path] of routes) {
      const headers = await headersOf()
      const answer = await auth.request(method, path, {
        ...(method !== 'GET' && { body }),
        headers,
      })
      expect([answer.status, answer.body.error_code], `${method} ${path}`).toEqual([status, code])
    }
    expect(await auth.rows(`select id from auth.users where email = 'trust@example.test'`)).toEqual(
      [],
    )
  })

  it('a user whose role gives access loses it by a ban, a sign-out and a deletion', async () => {
    const answersOf = async (end: (session: GivenSession) => Promise<unknown>) => {
      const user = await auth.given.user()
      await auth.auth.admin.updateUser(user.id, { role: 'service_role' })
      const { session } = await auth.auth.api.signInWithPassword({
        email: user.email ?? '',
        password: 'correct horse',
      })
      const ask = async () =>
        (await auth.get(`/admin/users/${someId}`, { token: session.accessToken })).body.error_code
      const before = await ask()
      await end({ ...session, user })
      return [before, await ask()]
    }

    const { admin, api } = auth.auth
    expect([
      await answersOf(({ user }) => admin.updateUser(user.id, { banDuration: '1h' })),
      await answersOf(({ accessToken }) => api.signOut({ accessToken })),
      await answersOf(({ user }) => auth.rows('delete from auth.users where id = $1', [user.id])),
    ]).toEqual([
      ['user_not_found', 'user_banned'],
      ['user_not_found', 'session_not_found'],
      ['user_not_found', 'user_not_found'],
    ])
  })

  it('a user cannot become an operator by members that users may change', async () => {
    const { accessToken: token, user } = await auth.given.session()

    await auth.put('/user', { role: 'service_role', data: { role: 'service_role' } }, { token })
    const renewed = await auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: 'correct horse',
    })

    const answer = await auth.get(`/admin/users/${someId}`, { token: renewed.session.accessToken })
    expect(answer.body.error_code).toBe('not_admin')
  })
})
