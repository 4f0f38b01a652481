import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService } from '../src/service/create-auth.ts'
import {
  startTestAuth,
  type TestAuth,
  testPassword,
  testSecret,
  withoutAutoconfirm,
} from './support/test-auth.ts'

// The rules of design.md §4, by number. Rule 7 is in safety-tokens.test.ts, rule 10 in
// safety-secrets.test.ts, rule 11 in safety-refusals.test.ts. The statements of rule 5 are in
// budgets.test.ts. Rule 15 is in dev-mailbox.test.ts.

let auth: TestAuth
let waiting: TestAuth

beforeAll(async () => {
  auth = await startTestAuth()
  waiting = await startTestAuth(withoutAutoconfirm)
})
afterAll(() => Promise.all([auth.close(), waiting.close()]))

let made = 0
const newEmail = () => `rule-${++made}@example.test`
const newPhone = () => `49153${String(++made).padStart(8, '0')}`

const signIn = (email: string | null, password = testPassword, on = auth) =>
  on.post('/token?grant_type=password', { email, password })

const refresh = (refreshToken: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: refreshToken })

describe('rule 1: a refresh token is checked and consumed by one statement', () => {
  it('so that many concurrent requests on two instances create one child', async () => {
    const { refreshToken, user } = await auth.given.session()
    const { auth: other } = createService(
      {
        siteUrl: 'https://app.example.test',
        database: auth.databaseUrl,
        jwt: { secret: testSecret },
        email: { autoconfirm: true },
      },
      { clock: auth.clock },
    )

    const spend = async (index: number) => {
      const { api } = index % 2 === 0 ? auth.auth : other
      return (await api.refreshSession({ refreshToken })).session.refreshToken
    }
    const children = await Promise.all(Array.from({ length: 40 }, (_, index) => spend(index)))
    await other.close()
    const [session] = await auth.rows(
      'select refresh_token_counter as counter from auth.sessions where user_id = $1',
      [user.id],
    )

    expect(new Set(children).size).toBe(1)
    expect(session?.['counter']).toBe(1)
  })
})

describe('rule 4: a sign-up never returns a session of an existing user', () => {
  const states = [
    ['proved by email', { emailConfirm: true }],
    ['proved by phone', { phoneConfirm: true }],
    ['proved by both', { emailConfirm: true, phoneConfirm: true }],
    ['proved by none', {}],
    ['without a password', { emailConfirm: true, password: undefined }],
    ['who is banned', { emailConfirm: true, banDuration: '1h' }],
    ['of another audience', { emailConfirm: true, audience: 'elsewhere' }],
  ] as const

  it.each(
    states.flatMap(
      ([name, state]) =>
        [
          [name, 'email', state],
          [name, 'phone', state],
        ] as const,
    ),
  )('one %s, requested by %s', async (_name, kind, state) => {
    for (const on of [auth, waiting]) {
      const addresses = { email: newEmail(), phone: newPhone() }
      const user = await on.auth.admin.createUser({
        ...addresses,
        password: testPassword,
        ...state,
      })

      // Even with the correct password: sign-up does not sign in existing users.
      const answer = await on.post('/signup', { [kind]: addresses[kind], password: testPassword })
      const sessions = await on.rows('select id from auth.sessions where user_id = $1', [user.id])

      expect(answer.body).not.toHaveProperty('access_token')
      expect(answer.body).not.toHaveProperty('refresh_token')
      expect(sessions).toEqual([])
    }
  })
})

describe('rule 5: responses are the same for known and unknown users', () => {
  const alike = (answer: Awaited<ReturnType<typeof signIn>>) => ({
    status: answer.status,
    headers: [...answer.headers].filter(([name]) => name !== 'x-request-id'),
    body: { ...answer.body, request_id: '' },
  })

  it('to a failed sign-in', async () => {
    const [known, banned, unconfirmed] = [newEmail(), newEmail(), newEmail()]
    await auth.given.user(known)
    const rest = { password: testPassword }
    await auth.auth.admin.createUser({
      email: banned,
      ...rest,
      emailConfirm: true,
      banDuration: '1h',
    })
    await auth.auth.admin.createUser({ email: unconfirmed, ...rest })

    const unknown = alike(await signIn('nobody@example.test', 'wrong'))

    for (const email of [known, banned, unconfirmed]) {
      expect(alike(await signIn(email, 'wrong'))).toEqual(unknown)
    }
  })

  it('in the audit log, which has an entry for both', async () => {
    const { email } = await auth.given.user(newEmail())
    const count = async () => (await auth.rows('select id from auth.audit_entries')).length
    const before = await count()

    await signIn(email, 'wrong')
    const afterKnown = await count()
    await signIn(newEmail(), 'wrong')

    expect([afterKnown - before, (await count()) - afterKnown]).toEqual([1, 1])
  })
})

describe('rule 6: one function decides', () => {
  const root = join(import.meta.dirname, '../src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
  const filesWith = (pattern: RegExp) =>
    files
      .filter(({ text }) => pattern.test(text))
      .map(({ path }) => path)
      .toSorted()

  it('the caller: accounts/callers/identify-bearer.ts is the only one that verifies a bearer for the flows', () => {
    expect(filesWith(/\bverifyAccessToken\(/)).toEqual([
      'accounts/callers/identify-bearer.ts',
      // Tokens of clients, which the line above rejects.
      'capabilities/oauth-server/userinfo/read-userinfo.ts',
      'credentials/access-tokens/verify-access-token.ts',
      // Operators solve no captcha; the check does not identify a caller.
      'endpoints/http/check-captcha.ts',
      // Tokens for a resource of the application, which no endpoint accepts.
      'service/api/create-protected-resource.ts',
      'service/api/verify-own-token.ts',
    ])
    expect(filesWith(/\bisSignedBy\(/)).toEqual([
      // Keys of clients, for their assertions and proofs.
      'capabilities/oauth-server/clients/client-assertion.ts',
      'capabilities/oauth-server/protocol/dpop.ts',
      'credentials/access-tokens/verify-access-token.ts',
      'credentials/external/protocol/verify-id-token.ts',
      'platform/kit/jws.ts',
    ])
    // An id token identifies the user of a sign-in, and never the caller.
    expect(filesWith(/\bverifyIssuedToken\(|\bverifyIdToken\(needs/)).toEqual([
      'credentials/external/protocol/oauth2-provider.ts',
      'credentials/external/protocol/verify-external-id-token.ts',
      'credentials/external/protocol/verify-id-token.ts',
    ])
    expect(filesWith(/(get\(|readHeader\(\w+, )'authorization'\)/)).toEqual([
      // Credentials of clients, and tokens of clients with their scheme.
      'capabilities/oauth-server/clients/client-credentials.ts',
      'capabilities/oauth-server/userinfo/userinfo.route.ts',
      // Session keys of the subscription pages are read from the same header.
      'capabilities/subscribe-pages/read-pages-credential.ts',
      // The client of pages reads the header of its own request.
      'hosts/client/page-client.ts',
      'platform/http/read-request.ts',
      'platform/http/request-like.ts',
    ])
  })

  it('the client’s address: limits/client-address.ts only', () => {
    expect(filesWith(/function findClient\(/)).toEqual(['limits/client-address.ts'])
    // Development pages check that the peer is this machine, and trust no header.
    const local = 'endpoints/http/local-access.ts'
    // It names the headers that a request has, and reads no value.
    const named = 'endpoints/http/watch-proxy-header.ts'
    const read = 'limits/client-address.ts'
    expect(filesWith(/'(svc|sb|x)-forwarded-for'/)).toEqual([local, named, read])
    // These callers pass it on; a connection has no headers yet.
    const callers = [
      'endpoints/http/open-context.ts',
      'platform/http/peer.ts',
      'standalone/server/connections.ts',
    ]
    // Adapters pass on the connection's address of their hosts.
    const others = (path: string) => !path.startsWith('hosts/adapters/')
    expect(filesWith(/getRequestIP\(|remoteAddress/).filter(others)).toEqual([local, ...callers])
  })

  it.each(['x-forwarded-for', 'forwarded', 'x-real-ip', 'svc-forwarded-for', 'cf-connecting-ip'])(
    'and %s is not trusted unless the operator configured it',
    async (header) => {
      const { email } = await auth.given.user(newEmail())
      const { body } = await auth.post(
        '/token?grant_type=password',
        { email, password: testPassword },
        { ip: '198.51.100.9', headers: { [header]: '203.0.113.66' } },
      )
      const [session] = await auth.rows(
        'select host(ip) as ip from auth.sessions where user_id = $1',
        [body.user.id],
      )

      expect(session).toEqual({ ip: '198.51.100.9' })
    },
  )
})

describe('rule 13, T40: an ended session is rejected at once by our own entry points', () => {
  const endings: [
    string,
    (session: { id: string; token: string }) => Promise<unknown>,
    string,
    string,
  ][] = [
    [
      'a sign-out',
      ({ token }) => auth.auth.api.signOut({ accessToken: token }),
      ...(['session_not_found', 'refresh_token_not_found'] as const),
    ],
    [
      'a revocation',
      ({ id }) => auth.rows('update auth.sessions set revoked_at = now() where user_id = $1', [id]),
      ...(['session_not_found', 'refresh_token_already_used'] as const),
    ],
    [
      'a ban',
      ({ id }) => auth.auth.admin.updateUser(id, { banDuration: '1h' }),
      ...(['user_banned', 'user_banned'] as const),
    ],
    [
      'a new password by an operator',
      ({ id }) => auth.auth.admin.updateUser(id, { password: 'a brand new password' }),
      ...(['session_not_found', 'refresh_token_not_found'] as const),
    ],
    [
      'a deletion',
      ({ id }) => auth.rows('delete from auth.users where id = $1', [id]),
      ...(['user_not_found', 'refresh_token_not_found'] as const),
    ],
    [
      'a soft deletion',
      ({ id }) => auth.rows('update auth.users set deleted_at = now() where id = $1', [id]),
      ...(['user_not_found', 'refresh_token_not_found'] as const),
    ],
  ]

  it.each(endings)('after %s', async (_case, end, code, refreshCode) => {
    const { user, accessToken: token, refreshToken } = await auth.given.session()
    await end({ id: user.id, token })

    const requests = [
      await auth.get('/user', { token }),
      await auth.put('/user', { data: { a: 1 } }, { token }),
      await auth.post('/logout', undefined, { token }),
    ]
    const required = auth.auth.requireUser({ headers: { authorization: `Bearer ${token}` } })
    // A host receives 401 where signing in again is the remedy; the wire keeps its own status.
    const status = code === 'user_banned' ? 403 : 401
    await expect(required).rejects.toMatchObject({ code, status })
    const renewed = await refresh(refreshToken)

    expect(requests.map(({ status, body }) => [status, body.error_code])).toEqual([
      [403, code],
      [403, code],
      [403, code],
    ])
    expect([renewed.status, renewed.body.error_code]).toEqual([400, refreshCode])
    // Other verifiers accept the token until it expires, since they do not read the database.
    await expect(auth.auth.verifyToken(token)).resolves.toMatchObject({ sub: user.id })
  })
})
