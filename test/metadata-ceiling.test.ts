import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  accessTokenClaims,
  issueAccessToken,
  maxTokenBytes,
} from '../src/credentials/access-tokens/issue-access-token.ts'
import { toNode } from '../src/hosts/adapters/node.ts'
import type { AuthConfig } from '../src/platform/config/config.ts'
import { importFrom } from './support/gotrue/import-from.ts'
import { createSourceDatabase } from './support/gotrue/source-database.ts'
import { runSql } from './support/sql.ts'
import { type Answer, startTestAuth, type TestAuth, testPassword } from './support/test-auth.ts'

const maxBytes = 4_096
const service = { hooks: { sendEmail: async () => {} } } satisfies AuthConfig

let auth: TestAuth
let token: string

beforeAll(async () => {
  auth = await startTestAuth(service)
  token = await auth.given.serviceToken()
})
afterAll(() => auth.close())

let made = 0
const newEmail = () => `ada${++made}@example.test`
const password = testPassword

/** Returns an object whose JSON has a number of bytes. */
const ofBytes = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) })
const large = ofBytes(50_000)

const madeUser = async (metadata: object = {}) => {
  const { id } = await auth.auth.admin.createUser({ email: newEmail(), password, ...metadata })
  return id
}

const session = async () => {
  const { accessToken } = await auth.given.session(newEmail())
  return accessToken
}

/** The requests that contain metadata, by their endpoint. */
const entryPoints: [string, (data: object) => Promise<Answer>][] = [
  ['POST /signup', (data) => auth.post('/signup', { email: newEmail(), password, data })],
  [
    'POST /signup, of an address that somebody has',
    async (data) => {
      const { email } = await auth.given.user(newEmail())
      return auth.post('/signup', { email, password, data })
    },
  ],
  ['POST /otp', (data) => auth.post('/otp', { email: newEmail(), data })],
  ['POST /magiclink', (data) => auth.post('/magiclink', { email: newEmail(), data })],
  ['PUT /user', async (data) => auth.put('/user', { data }, { token: await session() })],
  ['POST /invite', (data) => auth.post('/invite', { email: newEmail(), data }, { token })],
  ...['signup', 'invite', 'magiclink'].map((type): [string, (data: object) => Promise<Answer>] => [
    `POST /admin/generate_link, ${type}`,
    (data) =>
      auth.post('/admin/generate_link', { type, email: newEmail(), password, data }, { token }),
  ]),
  [
    'POST /admin/users',
    (data) => auth.post('/admin/users', { email: newEmail(), user_metadata: data }, { token }),
  ],
  [
    'POST /admin/users, app_metadata',
    (data) => auth.post('/admin/users', { email: newEmail(), app_metadata: data }, { token }),
  ],
  [
    'PUT /admin/users/{id}',
    async (data) =>
      auth.put(`/admin/users/${await madeUser()}`, { user_metadata: data }, { token }),
  ],
  [
    'PUT /admin/users/{id}, app_metadata',
    async (data) => auth.put(`/admin/users/${await madeUser()}`, { app_metadata: data }, { token }),
  ],
]

describe.each(entryPoints)('H16: metadata of %s', (_, send) => {
  it('is rejected above the limit, with field and size', async () => {
    const before = await auth.rows('select id from auth.users')

    const { status, body } = await send(large)

    expect([status, body.error_code]).toEqual([422, 'validation_failed'])
    expect(body.msg).toMatch(/^(user|app)_metadata: takes 50\d{3} bytes, and 4096 are allowed$/)
    const after = await auth.rows('select id from auth.users')
    expect(after.length - before.length).toBeLessThanOrEqual(1)
  })

  it('is accepted below it', async () => {
    const { status, body } = await send(ofBytes(maxBytes - 600))

    expect(status === 200 || body.error_code === 'user_already_exists').toBe(true)
  })
})

describe('H16: metadata in calls from code', () => {
  const rejection = { code: 'validation_failed', status: 422 }

  it('has the same limit', async () => {
    const { api, admin } = auth.auth
    const accessToken = await session()
    const id = await madeUser()
    const email = newEmail()

    for (const call of [
      () => api.signUp({ email, password, data: large }),
      () => api.signInWithOtp({ email, data: large }),
      () => api.updateUser({ accessToken, data: large }),
      () => admin.createUser({ email, userMetadata: large }),
      () => admin.createUser({ email, appMetadata: large }),
      () => admin.updateUser(id, { userMetadata: large }),
      () => admin.inviteUser({ email, data: large }),
    ]) {
      await expect(call()).rejects.toMatchObject(rejection)
    }
  })

  it('has it in an import, whose error contains the record', async () => {
    const report = await auth.auth.admin.importUsers([
      { email: newEmail(), userMetadata: ofBytes(maxBytes + 1) },
      { email: newEmail(), appMetadata: ofBytes(maxBytes + 1) },
      { email: newEmail(), userMetadata: ofBytes(maxBytes) },
    ])

    expect(report.refusals).toMatchObject([
      { place: 0, code: 'validation_failed', field: 'userMetadata' },
      { place: 1, code: 'validation_failed', field: 'appMetadata' },
    ])
    expect(report.imported).toBe(1)
  })

  it('has it in an import from another service', async () => {
    const source = await createSourceDatabase('layout.sql', 'people.sql')
    const other = await startTestAuth()
    await runSql(
      source.url,
      `update auth.users set raw_user_meta_data = jsonb_build_object('a', repeat('x', 5000))
       where id = (select id from auth.users order by id limit 1)`,
    )

    const report = await importFrom(source.url, other)
    const [{ largest } = { largest: 0 }] = await other.rows<{ largest: number }>(
      'select max(length(user_metadata::text)) as largest from auth.users',
    )
    await other.close()
    await source.drop()

    expect(report.users).toMatchObject({ added: 16, refused: 1 })
    expect(report.reportedLosses.map(({ what, reason }) => [what, reason])).toContainEqual([
      'user',
      'user_metadata is too large',
    ])
    expect(largest).toBeLessThan(maxBytes)
  })
})

describe('H16: the limit', () => {
  it('includes stored metadata: it cannot be exceeded in several steps', async () => {
    const token = await session()
    const put = (key: string) =>
      auth.put('/user', { data: { [key]: 'x'.repeat(1_500) } }, { token })

    const statuses = [await put('a'), await put('b'), await put('c')].map(({ status }) => status)

    expect(statuses).toEqual([200, 200, 422])
  })

  it('is exact', async () => {
    const id = await madeUser()
    const put = (bytes: number) =>
      auth.put(`/admin/users/${id}`, { user_metadata: ofBytes(bytes) }, { token })

    const statuses = [await put(maxBytes + 1), await put(maxBytes)].map(({ status }) => status)

    expect(statuses).toEqual([422, 200])
  })

  it('counts bytes, and numbers as they are stored', async () => {
    const put = async (data: object) => {
      const answer = await auth.put('/user', { data }, { token: await session() })
      return answer.status
    }

    expect(await put({ a: '€'.repeat(1_400) })).toBe(422)
    expect(await put({ a: Array.from({ length: 20 }, () => 1e300) })).toBe(422)
    expect(await put({ a: Array.from({ length: 20 }, () => 1e-300) })).toBe(422)
    expect(await put({ a: Array.from({ length: 20 }, () => 1e21) })).toBe(200)
  })

  it('permits larger metadata to shrink, and no other change of it', async () => {
    const { accessToken, user } = await auth.given.session(newEmail())
    await auth.rows('update auth.users set user_metadata = $2 where id = $1', [
      user.id,
      { a: 'x'.repeat(9_000), b: 'x'.repeat(9_000) },
    ])
    const put = async (data: object) =>
      (await auth.put('/user', { data }, { token: accessToken })).status

    expect(await put({ c: 1 })).toBe(422)
    expect(await put({ a: 'y'.repeat(9_001) })).toBe(422)
    expect(await put({ a: 'y'.repeat(8_000) })).toBe(200)
    expect(await put({ a: null })).toBe(200)
    expect(await put({ b: null, c: 1 })).toBe(200)
    expect(await put({ b: 'x'.repeat(9_000) })).toBe(422)
  })

  it('does not prevent the confirmation of an address', async () => {
    const email = newEmail()
    await auth.auth.admin.createUser({ email, userMetadata: ofBytes(maxBytes) })
    const { user, emailOtp } = await auth.auth.admin.generateLink({ type: 'magiclink', email })

    const { status } = await auth.post('/verify', { type: 'email', email, token: emailOtp })

    expect([user.email, status]).toEqual([email, 200])
  })

  it('can be raised', async () => {
    const other = await startTestAuth({ security: { maxMetadataBytes: 10_240 } })

    const { accessToken } = await other.given.session()
    const data = ofBytes(10_000)
    const put = await other.put('/user', { data }, { token: accessToken })
    const grown = await other.auth.api.signInWithPassword({ email: put.body.email, password })
    const get = await other.get('/user', { token: grown.session.accessToken })
    await other.close()

    expect([put.status, get.status]).toEqual([200, 200])
  })
})

it('H16: by default the largest access token fits the headers that Node accepts', async () => {
  const largest = await startTestAuth({
    jwt: { algorithm: 'RS256', issuer: `https://${'i'.repeat(180)}.example.test/auth` } as never,
    encryptionKey: 'an encryption key of more than 32 bytes',
    externalUrl: 'https://auth.example.test',
  })
  const { id } = await largest.auth.admin.createUser({
    email: `${'e'.repeat(60)}@${`${'d'.repeat(60)}.`.repeat(3)}test`,
    phone: '491601234567890',
    role: 'r'.repeat(255),
    audience: 'a'.repeat(255),
    userMetadata: ofBytes(maxBytes),
    appMetadata: ofBytes(maxBytes - '"provider":"email","providers":["email","phone"],'.length),
  })
  const user = await largest.auth.admin.getUser(id)
  const { keys, config, clock } = await largest.deps()
  const amr = [
    'password',
    'otp',
    'email/signup',
    'magiclink',
    'recovery',
    'totp',
    'mfa/phone',
    'mfa/webauthn',
  ]
  const claims = accessTokenClaims(
    {
      sub: id,
      aud: user.audience,
      role: user.role,
      email: user.email ?? '',
      phone: user.phone ?? '',
      app_metadata: user.appMetadata,
      // The confirmation adds a member.
      user_metadata: { ...user.userMetadata, email_verified: true },
      aal: 'aal2',
      session_id: randomUUID(),
      is_anonymous: false,
      amr: amr.map((method) => ({ method, timestamp: 1_800_000_000 })),
    },
    { issuer: config.jwt.issuer, lifetimeSeconds: 3600, now: clock.now() },
  )
  const { token } = await issueAccessToken(keys, claims)

  const server = createServer(toNode(largest.auth)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const requested = request({
    port,
    path: '/user',
    headers: {
      authorization: `Bearer ${token}`,
      'x-jwt-aud': user.audience,
      'user-agent':
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0',
      accept: 'application/json, text/plain, */*',
      'accept-language': 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
      'x-client-info': 'supabase-js-web/2.119.1',
    },
  }).end()
  const [answer] = await once(requested, 'response')
  answer.resume()
  server.close()
  server.closeAllConnections()
  await largest.close()

  expect(user.userMetadata).toHaveProperty('a')
  expect(token.length).toBeLessThan(maxTokenBytes)
  // Node itself would respond with 431. No user has this session.
  expect(answer.statusCode).toBe(403)
})
