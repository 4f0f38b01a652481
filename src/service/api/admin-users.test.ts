import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'
import type { AdminApi } from './admin-api.ts'

let auth: TestAuth
let admin: AdminApi

beforeAll(async () => {
  auth = await startTestAuth()
  admin = auth.auth.admin
})
afterAll(() => auth.close())

const unknownId = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'

/** Calls that concern one user, by id. */
const byId: [string, (id: string) => Promise<unknown>][] = [
  ['deleteUser', (id) => admin.deleteUser(id)],
  ['deleteUser, softly', (id) => admin.deleteUser(id, { soft: true })],
  ['banUser', (id) => admin.banUser(id)],
  ['unbanUser', (id) => admin.unbanUser(id)],
  ['signOut', (id) => admin.signOut(id)],
  ['listSessions', (id) => admin.listSessions(id)],
]

describe('every method for one user', () => {
  it.each(byId)('%s reports an unknown user, and stores nothing', async (_name, call) => {
    await expect(call(unknownId)).rejects.toMatchObject({ code: 'user_not_found', status: 404 })
    const entries = await auth.rows('select 1 from auth.audit_entries where user_id = $1', [
      unknownId,
    ])
    expect(entries).toEqual([])
  })

  it.each(byId)('%s takes no other path (T23)', async (_name, call) => {
    const { id } = await auth.given.user()

    for (const other of ['ada', '', `../${id}`, `${id}/../${id}`, `${id}%00`, ` ${id}`, '*']) {
      const expected = { code: 'validation_failed', status: 404 }
      await expect(call(other), other).rejects.toMatchObject(expected)
    }
    await expect(admin.getUser(id)).resolves.toMatchObject({ bannedUntil: null })
  })
})

describe('findUser', () => {
  it('finds by id, address or identity, however it is spelled', async () => {
    const made = await admin.createUser({ email: 'find@example.test', phone: '4915550' })
    await auth.rows(
      `insert into auth.identities (id, user_id, provider, subject, identity_data, created_at, updated_at)
        values (gen_random_uuid(), $1, 'github', '583231', '{}', now(), now())`,
      [made.id],
    )

    const found = [
      await admin.findUser({ id: made.id.toUpperCase() }),
      await admin.findUser({ email: 'FIND@example.test' }),
      await admin.findUser({ phone: '+49 155 50' }),
      await admin.findUser({ identity: { provider: 'github', subject: '583231' } }),
      await admin.findUser({ identity: { provider: 'email', subject: made.id } }),
    ]

    expect(found.map((user) => user?.id)).toEqual(found.map(() => made.id))
    expect(found[1]).toEqual(await admin.getUser(made.id))
    expect(found[0]?.identities).toHaveLength(3)
  })

  it('finds users of every audience', async () => {
    const { id } = await admin.createUser({ email: 'far@example.test', audience: 'elsewhere' })

    await expect(admin.findUser({ email: 'far@example.test' })).resolves.toMatchObject({ id })
  })

  it('returns null for an unknown user', async () => {
    const lookUps = [
      { id: unknownId },
      { email: 'nobody@example.test' },
      { email: '' },
      { phone: '1' },
      { identity: { provider: 'github', subject: 'x' } },
    ]

    for (const lookUp of lookUps) await expect(admin.findUser(lookUp)).resolves.toBeNull()
  })

  it('does not find a user by an erased address', async () => {
    const { id } = await admin.createUser({ email: 'erased@example.test' })
    await admin.deleteUser(id, { soft: true })

    await expect(admin.findUser({ email: 'erased@example.test' })).resolves.toBeNull()
    await expect(admin.findUser({ id })).resolves.toMatchObject({ id })
  })

  it.each([
    ['nothing', {}],
    ['two things', { email: 'a@x.test', phone: '1' }],
    ['an identity without a subject', { identity: { provider: 'github' } }],
    ['an identity of lists', { identity: { provider: ['github'], subject: ['x'] } }],
    ['an id that is none', { id: '../x' }],
  ])('is rejected for %s', async (_case, lookUp) => {
    await expect(admin.findUser(lookUp as never)).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })
})

describe('banUser', () => {
  it('keeps a user out for a time, or for good, until the ban is lifted', async () => {
    const { user, accessToken } = await auth.given.session()
    const reach = async () => (await auth.get('/user', { token: accessToken })).body.error_code

    const short = await admin.banUser(user.id, { duration: '1h' })
    const during = await reach()
    const long = await admin.banUser(user.id)
    auth.clock.advance(100 * 365 * 86_400)
    await expect(signIn(user.email)).rejects.toMatchObject({ code: 'user_banned' })
    const lifted = await admin.unbanUser(user.id)

    expect(short.bannedUntil).toEqual(new Date(short.updatedAt.getTime() + 3_600_000))
    expect(during).toBe('user_banned')
    expect(long.bannedUntil?.getUTCFullYear()).toBe(9999)
    expect(lifted).toMatchObject({ id: user.id, bannedUntil: null, identities: [{}] })
    await expect(signIn(user.email)).resolves.toMatchObject({ user: { id: user.id } })
  })

  it.each(['none', '0', '-1h', '', 'a week', '90000000h'])(
    'is rejected for %j',
    async (duration) => {
      const { id } = await auth.given.user()

      await expect(admin.banUser(id, { duration })).rejects.toMatchObject({
        code: 'validation_failed',
        status: 400,
        message: expect.stringMatching(/^duration: /),
      })
      await expect(admin.getUser(id)).resolves.toMatchObject({ bannedUntil: null })
    },
  )
})

const signIn = (email: string | null) =>
  auth.auth.api.signInWithPassword({ email: email ?? '', password: testPassword })

describe('sessions of a user', () => {
  it('are listed, ended one by one, and all at once', async () => {
    const { user } = await auth.given.session()
    await auth.given.session()
    auth.clock.advance(1)
    const { session } = await signIn(user.email)

    const both = await admin.listSessions(user.id.toUpperCase())
    await admin.revokeSession(user.id, session.id.toUpperCase())
    const one = await admin.listSessions(user.id)
    await admin.signOut(user.id)
    const none = await admin.listSessions(user.id)

    expect(both.map(({ id }) => id)).toEqual([session.id, one[0]?.id])
    expect(both.map(({ isCurrent }) => isCurrent)).toEqual([false, false])
    expect(none).toEqual([])
    const ended = await auth.get('/user', { token: session.accessToken })
    expect(ended.body.error_code).toBe('session_not_found')
  })

  it('are not ended in the name of another user (T37)', async () => {
    const [one, other] = [await auth.given.session(), await auth.given.session()]
    const [session] = await admin.listSessions(other.user.id)

    const revoking = admin.revokeSession(one.user.id, session?.id ?? '')

    await expect(revoking).rejects.toMatchObject({ code: 'session_not_found', status: 404 })
    await expect(admin.revokeSession(one.user.id, '../x')).rejects.toMatchObject({
      code: 'validation_failed',
      status: 404,
    })
    expect((await auth.get('/user', { token: other.accessToken })).status).toBe(200)
  })
})

it('records all of it as done by the host', async () => {
  const { user } = await auth.given.session()
  const { session } = await signIn(user.email)
  auth.clock.advance(1)
  const did = [
    () => admin.revokeSession(user.id, session.id),
    () => admin.signOut(user.id),
    () => admin.signOut(user.id),
    () => admin.banUser(user.id, { duration: '1h' }),
    () => admin.unbanUser(user.id),
    () => admin.deleteUser(user.id),
  ]
  for (const act of did) {
    await act()
    auth.clock.advance(1)
  }

  const { entries } = await admin.listAudit({ query: 'author:host', limit: 5 })

  // The second sign-out ended nothing.
  expect(entries.map(({ action }) => action)).toEqual([
    'user_deleted',
    'user_modified',
    'user_modified',
    'logout',
    'logout',
  ])
  expect(entries.at(-1)).toMatchObject({
    actorId: null,
    actorRole: 'host',
    userId: user.id,
    user: null,
    traits: { session_id: session.id },
  })
  expect(entries[0]?.traits).toEqual({ user_email: user.email, user_phone: '' })
})
