import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { openBrowser } from '../../../test/support/fake-realm.ts'
import { importFrom } from '../../../test/support/gotrue/import-from.ts'
import { createRefreshToken } from '../../../test/support/gotrue/refresh-token.ts'
import { contentsOf, createSourceDatabase } from '../../../test/support/gotrue/source-database.ts'
import { runSql } from '../../../test/support/sql.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { startWebServer, type WebServer } from '../../../test/support/web-server.ts'
import type { GotrueImportReport } from './import-report.ts'

/** Creates a database role that may only read the tables of this database. */
async function createReader(url: string) {
  const name = `reader_${randomUUID().replaceAll('-', '')}`
  await runSql(
    url,
    `create role ${name} login password 'reads';
     grant usage on schema auth to ${name}; grant select on all tables in schema auth to ${name}`,
  )
  return {
    url: Object.assign(new URL(url), { username: name, password: 'reads' }).href,
    drop: () => runSql(url, `drop owned by ${name}; drop role ${name}`),
  }
}

async function mayCreateRoles(url: string): Promise<boolean> {
  const [self] = await runSql(
    url,
    'select rolsuper or rolcreaterole as may from pg_roles where rolname = current_user',
  )
  return self?.['may'] === true
}

let source: TestDatabase
let auth: TestAuth
let github: WebServer
let report: Awaited<ReturnType<typeof importFrom>>

beforeAll(async () => {
  source = await createSourceDatabase('layout.sql', 'people.sql')
  github = await startWebServer((response, { path }) => {
    const answers: Record<string, unknown> = {
      '/login/oauth/access_token': { access_token: 'token', token_type: 'bearer' },
      '/api/v3/user': { id: 583231, login: 'octocat' },
      '/api/v3/user/emails': [],
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[path]))
  })
  auth = await startTestAuth({
    providers: {
      github: { clientId: 'client', clientSecret: 'secret', url: github.url, emailOptional: true },
    },
  })
  report = await importFrom(source.url, auth)
})
afterAll(async () => {
  await auth?.close()
  await github?.close()
  await source?.drop()
})

const userId = (number: string) => `a0000000-0000-4000-8000-0000000000${number}`
const sessionId = (number: string) => `c0000000-0000-4000-8000-000000000${number}`

const signIn = (credentials: { email: string } | { phone: string }, password = 'correct horse') =>
  auth.post('/token?grant_type=password', { ...credentials, password })

const refresh = (token: string) =>
  auth.post('/token?grant_type=refresh_token', { refresh_token: token })

const getUser = async (id: string) => {
  const token = await auth.given.serviceToken()
  return (await auth.get(`/admin/users/${id}`, { token })).body
}

describe('an import', () => {
  it('reports the imported data, the losses, and the data that remain at the source', () => {
    expect(report).toMatchObject({
      done: 17,
      total: 17,
      sessions: { opened: 10, ended: 0 },
      factors: { added: 4, removed: 0, resealed: 0 },
      passkeys: { added: 1 },
      users: { added: 17, updated: 0, refused: 0, missing: 0 },
      losses: {
        'password: unknown hash': 1,
        'factor: unverified': 1,
        'session: over': 1,
        'session: unrenewable': 2,
        'session: of an OAuth client': 1,
      },
      staysBehind: { ssoProviders: 1, pendingLinks: 1 },
    })
    expect(report.staysBehind.tokensWithoutSession).toBe(1)
    expect(report.reportedLosses).toContainEqual({
      userId: userId('12'),
      what: 'password',
      reason: 'unknown hash',
    })
  })

  it('writes an audit entry about each user', async () => {
    const token = await auth.given.serviceToken()

    const { body } = await auth.get('/admin/audit?query=action:user_signedup', { token })

    expect(body).toHaveLength(17)
  })

  it('reports no personal data', () => {
    expect(JSON.stringify(report)).not.toMatch(/@|4915112|correct horse/)
  })
})

it('logs a batch after its commit, and nothing of a dry run', async () => {
  const target = await startTestAuth({ auditLog: { disablePostgres: true } })
  const lines = () => target.log.filter(({ message }) => message === 'audit_event')

  await importFrom(source.url, target, { dryRun: true })
  const ofDryRun = lines()
  await importFrom(source.url, target)

  expect(ofDryRun).toEqual([])
  expect(lines()).toHaveLength(17)
  expect(await target.rows('select from auth.audit_entries')).toEqual([])
  await target.close()
})

describe('an imported user', () => {
  it('keeps id, metadata, role, times and identities', async () => {
    expect(await getUser(userId('01'))).toMatchObject({
      id: userId('01'),
      aud: 'authenticated',
      role: 'editor',
      email: 'ada@example.test',
      email_confirmed_at: '2025-06-01T10:00:00.123Z',
      last_sign_in_at: '2025-06-01T10:00:00.123Z',
      created_at: '2025-06-01T10:00:00.123Z',
      app_metadata: { provider: 'email', providers: ['email', 'google'], plan: 'pro' },
      user_metadata: { full_name: 'Ada Lovelace', langs: ['en'] },
      is_anonymous: false,
      identities: [
        { provider: 'email', id: userId('01'), identity_data: { email: 'ada@example.test' } },
        { provider: 'google', id: '1080', email: 'ada@gmail.test' },
      ],
    })
  })

  it.each([
    ['bcrypt', { email: 'ada@example.test' }],
    ['argon2id', { email: 'bob@example.test' }],
    ['argon2id, by phone', { phone: '+4915112340002' }],
    ['argon2i', { email: 'cleo@example.test' }],
    ['the scrypt of Firebase', { email: 'dan@example.test' }],
    ['bcrypt, by phone alone', { phone: '4915112340005' }],
    ['an encrypted column', { email: 'mia@example.test' }],
  ])('signs in with the old password behind %s', async (_kind, credentials) => {
    const wrong = await signIn(credentials, 'wrong horse')
    const right = await signIn(credentials)

    expect(wrong.body.error_code).toBe('invalid_credentials')
    expect(right.status).toBe(200)
  })

  it("has a hash of Latchkey's from the first sign-in on", async () => {
    await signIn({ email: 'nia@example.test' })

    const stored = 'select password_hash as hash from auth.users where id = $1'
    const [row] = await auth.rows<{ hash: string }>(stored, [userId('14')])
    expect(row?.hash).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/)
    expect((await signIn({ email: 'nia@example.test' })).status).toBe(200)
  })

  it('can still sign in if the password could not be imported', async () => {
    const email = 'pia@example.test'
    const refused = await signIn({ email })
    const link = await auth.auth.admin.generateLink({ type: 'recovery', email })
    const { pathname, search } = new URL(link.actionLink)

    const followed = await auth.get(pathname + search)

    expect(refused.body.error_code).toBe('invalid_credentials')
    expect(followed.headers.get('location')).toContain('access_token=')
  })

  it('without a password has none', async () => {
    for (const password of ['', 'correct horse']) {
      expect((await signIn({ email: 'leo@example.test' }, password)).status).toBe(400)
    }
    const { identities } = await getUser(userId('11'))
    expect(identities).toMatchObject([{ provider: 'github', id: '583231' }])
  })

  it('signs in with the former provider', async () => {
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider: 'github' })
    const { fragment } = await browser.sendCallback({ state, code: 'code' })
    const { body } = await auth.get('/user', { token: fragment['access_token'] })

    expect(body.id).toBe(userId('11'))
  })

  it('that was not confirmed is not, and a pending change of address must be requested again', async () => {
    const user = await getUser(userId('06'))

    expect(user).toMatchObject({
      new_email: 'fay@new.test',
      confirmation_sent_at: expect.anything(),
    })
    expect(user).not.toHaveProperty('email_confirmed_at')
    expect((await signIn({ email: 'fay@example.test' })).body.error_code).toBe(
      'email_not_confirmed',
    )
  })

  it.each([
    ['gus@example.test', '2126-01-01T00:00:00Z'],
    ['hal@example.test', '9999-12-31T23:59:59.999Z'],
  ])('that was banned remains banned: %s', async (email, until) => {
    const answer = await signIn({ email })
    const user = await auth.auth.admin.findUser({ email })

    expect(answer.body.error_code).toBe('user_banned')
    expect(user?.bannedUntil).toEqual(new Date(until))
  })

  it('that was soft-deleted remains deleted, and its row is kept', async () => {
    const answer = await signIn({ email: 'xbtgv4-hashed-address' })

    expect(answer.body.error_code).toBe('invalid_credentials')
    expect(await getUser(userId('08'))).toMatchObject({ deleted_at: '2025-12-24T00:00:00.000Z' })
  })

  it('of single sign-on is another user than the one with the same address', async () => {
    const found = await auth.auth.admin.findUser({ email: 'ada@example.test' })
    const kim = await getUser(userId('10'))

    expect(found?.id).toBe(userId('01'))
    expect(kim).toMatchObject({ email: 'ada@example.test', user_metadata: {} })
    expect(kim.identities).toMatchObject([
      { provider: expect.stringMatching(/^sso:/), id: 'kim@corp' },
    ])
  })

  it('that was anonymous remains so, with its data', async () => {
    expect(await getUser(userId('09'))).toMatchObject({
      is_anonymous: true,
      email: '',
      user_metadata: { cart: 3 },
      app_metadata: {},
      identities: [],
    })
  })
})

describe('an imported session', () => {
  const nias = (id: string, counter: number) =>
    createRefreshToken({ sessionId: sessionId(id), counter, key: Buffer.alloc(32, 0x14) })
  const mias = (counter: number) =>
    createRefreshToken({ sessionId: sessionId('013'), counter, key: Buffer.alloc(32, 0x13) })
  const forged = createRefreshToken({
    sessionId: sessionId('013'),
    counter: 3,
    key: Buffer.alloc(32, 0x99),
  })

  it.each([
    ['by one of two good rows', 'adaforkone22', '01', '101'],
    ['by its only row', 'evesfirst222', '05', '005'],
    ['of somebody anonymous', 'jonsfirst222', '09', '009'],
    ['of single sign-on', 'kimsfirst222', '10', '010'],
    ['by a signed token, its key encrypted', mias(3), '13', '013'],
    ['by a signed token', nias('014', 300), '14', '014'],
    ['by the first signed token', nias('114', 0), '14', '114'],
    ['by the signed token before the newest', nias('214', 0), '14', '214'],
  ])('is renewed %s', async (_case, token, user, session) => {
    const exchanged = await refresh(token)
    const again = await refresh(exchanged.body.refresh_token)

    expect([exchanged.status, again.status]).toEqual([200, 200])
    expect(exchanged.body.user.id).toBe(userId(user))
    const claims = await auth.auth.verifyToken(exchanged.body.access_token)
    expect(claims.session_id).toBe(sessionId(session))
  })

  it('keeps its methods, times and origin', async () => {
    const beforeNewest = 'adasecond222'
    const claims = await auth.auth.verifyToken((await refresh(beforeNewest)).body.access_token)
    const [kims] = await auth.rows<{ amr: unknown }>(
      'select amr from auth.sessions where id = $1',
      [sessionId('010')],
    )
    const [stored] = await auth.rows('select * from auth.sessions where id = $1', [
      sessionId('001'),
    ])

    expect(claims).toMatchObject({
      aal: 'aal2',
      amr: [
        { method: 'totp', timestamp: Date.parse('2026-02-01T00:02:00Z') / 1000 },
        { method: 'password', timestamp: Date.parse('2026-02-01T00:00:00Z') / 1000 },
      ],
    })
    expect(kims?.amr).toMatchObject([
      { method: 'sso/saml', provider: '55500000-0000-4000-8000-000000000001' },
    ])
    expect(stored).toMatchObject({
      tag: 'web',
      factor_id: 'f0000000-0000-4000-8000-000000000001',
      created_at: '2026-02-01 00:00:00.5+00',
    })
  })

  it.each([
    ['an older row', 'adafirst2222'],
    ['a session that was over', 'otosover2222'],
    ['a session whose tokens were all revoked', 'otosrevoked2'],
    ['another application', 'otosoauth222'],
    ['no session', 'nosession222'],
    ['a signed token long past', nias('014', 298)],
    ['a signed token that never was', nias('014', 301)],
    ['a signed token under another key', forged],
  ])('is not renewed by a token of %s', async (_case, token) => {
    const { status, body } = await refresh(token)

    expect(status).toBe(400)
    expect(body.error_code).toBe('refresh_token_not_found')
  })

  it('of a banned user is rejected with that error', async () => {
    expect((await refresh('gussfirst222')).body.error_code).toBe('user_banned')
  })
})

describe('the source', () => {
  it('is not changed: permission to read is sufficient', async ({ skip }) => {
    const own = await createSourceDatabase('layout.sql', 'people.sql')
    if (!(await mayCreateRoles(own.url)))
      skip('the user of the test database may not create others')
    const reader = await createReader(own.url)
    const target = await startTestAuth()
    const before = await contentsOf(own.url)

    const { users } = await importFrom(reader.url, target)

    expect(users.added).toBe(17)
    expect(await contentsOf(own.url)).toEqual(before)
    await target.close()
    await reader.drop()
    await own.drop()
  })

  it('is rejected if policies hide rows, and no user counts as deleted', async ({ skip }) => {
    const own = await createSourceDatabase('layout.sql', 'people.sql')
    if (!(await mayCreateRoles(own.url)))
      skip('the user of the test database may not create others')
    const reader = await createReader(own.url)
    const target = await startTestAuth()
    await importFrom(reader.url, target)
    await runSql(own.url, 'alter table auth.users enable row level security')

    const refused = await importFrom(reader.url, target, { prune: true }).catch((error) => error)

    expect(refused).toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining('row-level security'),
    })
    expect(await target.rows('select from auth.users')).toHaveLength(17)
    await target.close()
    await reader.drop()
    await own.drop()
  })

  it('may have an older layout, without later tables and columns', async () => {
    const older = await createSourceDatabase('older-layout.sql')
    const target = await startTestAuth()

    const first = await importFrom(older.url, target)
    const second = await importFrom(older.url, target)

    expect(first).toMatchObject({ users: { added: 1 }, sessions: { opened: 1 }, losses: {} })
    expect(first.staysBehind.tokensWithoutSession).toBe(1)
    expect(second.users).toMatchObject({ added: 0, unchanged: 1 })
    const signedIn = await target.post('/token?grant_type=password', {
      email: 'olga@example.test',
      password: 'correct horse',
    })
    expect(signedIn.body.user.identities).toMatchObject([
      { provider: 'email', id: '0d000000-0000-4000-8000-000000000001' },
      { provider: 'gitlab', id: '4711' },
    ])
    const refreshed = await target.post('/token?grant_type=refresh_token', {
      refresh_token: 'olgas2tokens',
    })
    expect(refreshed.status).toBe(200)
    await target.close()
    await older.drop()
  })

  it('may have a layout without sessions', async () => {
    const oldest = await createSourceDatabase('older-layout.sql')
    await runSql(
      oldest.url,
      'alter table auth.refresh_tokens drop column session_id; drop table auth.sessions, auth.identities',
    )
    const target = await startTestAuth()

    const { users, sessions, staysBehind } = await importFrom(oldest.url, target)

    expect([users.added, sessions.opened, staysBehind.tokensWithoutSession]).toEqual([1, 0, 2])
    await target.close()
    await oldest.drop()
  })

  it('is rejected, with nothing stored, if a key is missing or wrong', async () => {
    const target = await startTestAuth()
    const otherKey = `key-2024:${Buffer.alloc(32, 9).toString('base64url')}`

    const missing = importFrom(source.url, target, { keys: '' })
    await expect(missing).rejects.toThrow('encrypted with the key "key-2024", which is missing')
    const wrong = importFrom(source.url, target, { keys: otherKey })
    await expect(wrong).rejects.toThrow('The key "key-2024" does not decrypt')

    expect(await target.rows('select from auth.users')).toEqual([])
    await target.close()
  })

  it.each([
    ['another schema', 'public', 'The schema "public" of the source contains no GoTrue users'],
    [
      'a schema that asks to be quoted',
      'x"y',
      'The schema "x"y" of the source contains no GoTrue users',
    ],
  ])('is rejected with %s', async (_case, schema, expected) => {
    await expect(importFrom(source.url, auth, { schema })).rejects.toThrow(expected)
  })

  it("is rejected if it is Latchkey's own schema", async () => {
    await expect(importFrom(auth.databaseUrl, auth)).rejects.toThrow(
      'The schema "auth" of the source is Latchkey\'s own',
    )
  })

  it.each([
    ['users', 'encrypted_password'],
    ['refresh_tokens', 'revoked'],
  ])('is rejected if the table "%s" lacks the column "%s"', async (table, column) => {
    const own = await createSourceDatabase('layout.sql')
    await runSql(own.url, `alter table auth.${table} drop column ${column} cascade`)

    await expect(importFrom(own.url, auth)).rejects.toThrow(
      `The table "${table}" in the schema "auth" of the source has no column "${column}"`,
    )
    await own.drop()
  })

  it.each([
    ['lets nobody in', (url: URL) => Object.assign(url, { password: 'wr0ng' }), 'authentication'],
    ['has a password of bytes', (url: URL) => Object.assign(url, { password: 'wr0ng%e4' }), 'URL'],
    ['is not there', (url: URL) => Object.assign(url, { pathname: '/nothere' }), 'does not exist'],
    ['does not answer', (url: URL) => Object.assign(url, { port: '1' }), '127.0.0.1:1 '],
  ])('that %s is reported without its URL', async (_case, spoil, expected) => {
    const url = spoil(new URL(source.url))

    const refused = await importFrom(url.href, auth).catch((error: Error) => error)

    expect(refused).toMatchObject({
      name: 'SourceError',
      message: expect.stringContaining(expected),
    })
    expect(String(refused)).not.toMatch(/wr0ng|postgres:\/\//)
  })
})

it('several imports at the same time store each user once, and reject none', async () => {
  const target = await startTestAuth()

  const reports = await Promise.all([1, 2, 3].map(() => importFrom(source.url, target)))

  const sum = (pick: (users: GotrueImportReport['users']) => number) =>
    reports.reduce((total, { users }) => total + pick(users), 0)
  expect(sum(({ added }) => added)).toBe(17)
  expect(sum(({ unchanged }) => unchanged)).toBe(34)
  expect(sum(({ refused }) => refused)).toBe(0)
  expect(reports.reduce((total, { sessions }) => total + sessions.opened, 0)).toBe(10)
  await target.close()
})

it('an empty source is imported at once', async () => {
  const empty = await createSourceDatabase('layout.sql')

  expect(await importFrom(empty.url, auth)).toMatchObject({ done: 0, total: 0 })
  await empty.drop()
})

it('a dry run reports the same and stores nothing', async () => {
  const target = await startTestAuth()

  const { reportedLosses, ...dry } = await importFrom(source.url, target, { dryRun: true })

  expect({ ...dry, reportedLosses }).toEqual(report)
  for (const table of ['users', 'sessions', 'factors', 'imported_users', 'audit_entries']) {
    expect(await target.rows(`select from auth.${table}`)).toEqual([])
  }
  await target.close()
})

it('an empty database without any schema is rejected as a source', async () => {
  const empty = await createEmptyDatabase()

  await expect(importFrom(empty.url, auth)).rejects.toThrow('contains no GoTrue users')
  await empty.drop()
})
