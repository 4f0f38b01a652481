import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openHost } from '../../../test/support/host.ts'
import { passkeysOf } from '../../../test/support/passkeys.ts'
import { secondFactors } from '../../../test/support/second-factors.ts'
import {
  type Answer,
  type GivenSession,
  startTestAuth,
  type TestAuth,
  testPassword,
} from '../../../test/support/test-auth.ts'
import { rowsOf } from '../../platform/sql/tables.ts'
import type { CallOptions } from '../../service/api/call-options.ts'
import { replaceUsers } from '../lifecycle/replace-users.sql.ts'
import { findById } from './find-user.sql.ts'

// A request that rewrites a user as read detects by the version whether the user has changed since.

let auth: TestAuth

beforeAll(async () => {
  auth = await startTestAuth({
    hooks: { sendEmail: async () => {} },
    passkeys: { enabled: true },
    mfa: { trustedDevices: { enabled: true } },
  })
})
afterAll(() => auth?.close())

const versionOf = async (userId: string): Promise<number> => {
  const { database } = await auth.deps()
  const stored = await findById(database.sql, userId)
  return stored?.version ?? 0
}

const exchangeCode = async ({ user }: GivenSession, options: CallOptions = {}) => {
  const codeVerifier = randomBytes(32).toString('base64url')
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
  const code = randomBytes(32).toString('hex')
  await auth.rows(
    `insert into auth.authorization_codes values
      (gen_random_uuid(), $1, $2, $3, 's256', 'otp', null, null, $4::timestamptz + interval '5 minutes', $4)`,
    [
      user.id,
      createHash('sha256').update(code).digest('hex'),
      codeChallenge,
      auth.clock.now().toISOString(),
    ],
  )
  return auth.auth.api.exchangeCodeForSession({ authCode: code, codeVerifier }, options)
}

const replaceByImport = async ({ user }: GivenSession) => {
  await auth.rows(
    `insert into auth.imported_users select id, 'a digest', updated_at from auth.users where id = $1`,
    [user.id],
  )
  const { database } = await auth.deps()
  return replaceUsers(database.sql, {
    users: [{ user, passwordHash: null }],
    endsSessionsOf: [],
    auditRows: rowsOf('audit_entries'),
  })
}

it.each<[string, (given: GivenSession) => Promise<unknown>]>([
  [
    'a sign-in with a password',
    ({ user }) =>
      auth.auth.api.signInWithPassword({ email: user.email ?? '', password: testPassword }),
  ],
  ['a sign-in with the code of a link', (session) => exchangeCode(session)],
  ['a request for a link', ({ user }) => auth.post('/recover', { email: user.email })],
  [
    'a change of metadata',
    ({ accessToken: token }) => auth.put('/user', { data: { a: 1 } }, { token }),
  ],
  ['a ban', ({ user }) => auth.auth.admin.banUser(user.id)],
  ['the end of a ban', ({ user }) => auth.auth.admin.unbanUser(user.id)],
  [
    'a factor that is enrolled',
    ({ accessToken: token }) => auth.post('/factors', { factor_type: 'totp' }, { token }),
  ],
  [
    'a passkey that is registered',
    async ({ accessToken }) => passkeysOf(auth).register(accessToken),
  ],
  ['a soft delete', ({ user }) => auth.auth.admin.deleteUser(user.id, { soft: true })],
  ['an import of the same user', replaceByImport],
])('the version of a user increases with %s', async (_what, change) => {
  const session = await auth.given.session()
  const before = await versionOf(session.user.id)

  await change(session)

  expect(await versionOf(session.user.id)).toBe(before + 1)
})

it('the version increases with a trusted device', async () => {
  const { user, accessToken } = await secondFactors(auth).aal2Session()
  const before = await versionOf(user.id)

  await auth.auth.api.trustDevice({ accessToken })

  expect(await versionOf(user.id)).toBe(before + 1)
})

it('the version increases where the end of all sessions revokes a change of address', async () => {
  const { user } = await auth.given.session()
  await auth.rows(`update auth.users set new_email = 'next@example.test' where id = $1`, [user.id])
  const before = await versionOf(user.id)

  await auth.auth.admin.signOut(user.id)

  expect(await versionOf(user.id)).toBe(before + 1)
})

it('the version begins at 1, and is not visible to callers', async () => {
  const user = await auth.given.user()
  const token = await auth.given.serviceToken()

  const exported = await (await auth.auth.admin.exportUser(user.id)).read()
  const { body } = await auth.get(`/admin/users/${user.id}`, { token })

  expect(await versionOf(user.id)).toBe(1)
  expect([exported.user, body, user].filter((seen) => 'version' in (seen ?? {}))).toEqual([])
})

it('the version prevents that a session survives a proof that ends all sessions', async () => {
  const session = await auth.given.session()
  const { id, email } = session.user
  // As imported from another service: a session of a user without any proof.
  await auth.rows(
    `update auth.users set email_confirmed_at = null, registered_by = 'signup' where id = $1`,
    [id],
  )
  const { hashedToken } = await auth.auth.admin.generateLink({
    type: 'magiclink',
    email: email ?? '',
  })
  const isWaited = 'select from pg_locks where pg_backend_pid() = any (pg_blocking_pids(pid))'
  const host = await openHost(auth.databaseUrl)
  let proving: Promise<Answer> | undefined

  await host.transaction(async (em) => {
    await exchangeCode(session, { em })
    proving = auth.post('/verify', { type: 'magiclink', token_hash: hashedToken })
    while ((await em.execute(isWaited)).length === 0);
  })
  const proved = await proving
  await host.close()

  expect(proved?.status).toBe(200)
  expect(await auth.auth.admin.listSessions(id)).toHaveLength(1)
})
