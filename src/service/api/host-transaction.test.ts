import { inspect } from 'node:util'
import { defineEntity, p } from '@mikro-orm/core'
import { MikroORM, type SqlEntityManager } from '@mikro-orm/postgresql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { whileWritesBreak } from '../../../test/support/broken-writes.ts'
import { startTestAuth, type TestAuth, testPassword } from '../../../test/support/test-auth.ts'

// A host with its own tables beside ours, with MikroORM, that commits both or neither.

const NoteSchema = defineEntity({
  name: 'Note',
  properties: { id: p.uuid().primary(), owner: p.uuid(), text: p.text() },
})
class Note extends NoteSchema.class {}
NoteSchema.setClass(Note)

class ChangedMind extends Error {}

let auth: TestAuth
let host: MikroORM

beforeAll(async () => {
  auth = await startTestAuth()
  await auth.rows('create table public.note (id uuid primary key, owner uuid not null, text text)')
  await auth.rows(
    'alter table public.note add foreign key (owner) references auth.users (id) on delete cascade',
  )
  host = await MikroORM.init({ entities: [Note], clientUrl: auth.databaseUrl, logger: () => {} })
})
afterAll(async () => {
  await host.close()
  await auth.close()
})

let made = 0
const newEmail = () => `host-${++made}@example.test`

const inTransaction = <T>(work: (em: SqlEntityManager) => Promise<T>): Promise<T> =>
  host.em.fork().transactional((em) => work(em as SqlEntityManager))

/** Runs the work in a transaction that is rolled back at its end. */
const thenChangesMind = async (work: (em: SqlEntityManager) => Promise<unknown>): Promise<void> => {
  const running = inTransaction(async (em) => {
    await work(em)
    throw new ChangedMind()
  })
  await expect(running).rejects.toBeInstanceOf(ChangedMind)
}

const countUsers = async (email: string) =>
  (await auth.rows('select id from auth.users where email = $1', [email])).length

const countEntries = async () => (await auth.rows('select id from auth.audit_entries')).length

describe('in the host’s transaction', () => {
  it('a user is committed with the host’s rows, which may refer to it at once', async () => {
    const email = newEmail()

    const user = await inTransaction(async (em) => {
      const created = await auth.auth.admin.createUser({ email, emailConfirm: true }, { em })
      em.create(Note, { id: created.id, owner: created.id, text: 'welcome' })
      await em.flush()
      return created
    })

    expect(await countUsers(email)).toBe(1)
    expect(await auth.rows('select text from public.note where owner = $1', [user.id])).toEqual([
      { text: 'welcome' },
    ])
  })

  it('a user is rolled back with it, including audit entries', async () => {
    const email = newEmail()
    const before = await countEntries()

    await thenChangesMind(async (em) => {
      await auth.auth.admin.createUser({ email }, { em })
      await auth.auth.api.signUp({ email: newEmail(), password: testPassword }, { em })
    })

    expect(await countUsers(email)).toBe(0)
    expect(await countEntries()).toBe(before)
  })

  it('other connections see no row before it commits', async () => {
    const email = newEmail()

    const during = await inTransaction(async (em) => {
      const created = await auth.auth.admin.createUser({ email }, { em })
      const found = await auth.auth.admin.getUser(created.id, { em })
      return { inside: found.email, outside: await countUsers(email) }
    })

    expect(during).toEqual({ inside: email, outside: 0 })
    expect(await countUsers(email)).toBe(1)
  })

  it('a change of a user commits or is rolled back with it', async () => {
    const user = await auth.given.user(newEmail())

    await thenChangesMind((em) => auth.auth.admin.updateUser(user.id, { role: 'staff' }, { em }))
    const after = await auth.auth.admin.getUser(user.id)
    await inTransaction((em) => auth.auth.admin.updateUser(user.id, { role: 'guest' }, { em }))

    expect(after).toEqual(user)
    expect((await auth.auth.admin.getUser(user.id)).role).toBe('guest')
  })

  it('a ban, a sign-out and a deletion by an operator do, too', async () => {
    const { admin } = auth.auth
    const { user, accessToken } = await auth.given.session(newEmail())
    const before = await countEntries()

    await thenChangesMind(async (em) => {
      await admin.banUser(user.id, {}, { em })
      await admin.signOut(user.id, { em })
      const banned = await admin.findUser({ email: user.email ?? '' }, { em })
      expect(banned?.bannedUntil).toBeInstanceOf(Date)
      await admin.deleteUser(user.id, { soft: true }, { em })
      await admin.deleteUser(user.id, {}, { em })
    })
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
    expect(await countEntries()).toBe(before)

    await inTransaction((em) => admin.deleteUser(user.id, {}, { em }))
    expect(await countUsers(user.email ?? '')).toBe(0)
    expect(await countEntries()).toBe(before + 1)
  })

  it('an import is committed or rolled back with it, including rejections', async () => {
    const user = await auth.given.user(newEmail())
    const records = [{ email: user.email ?? '' }, { email: newEmail() }, { email: 'x' }]
    const before = await countEntries()

    await thenChangesMind(async (em) => {
      const report = await auth.auth.admin.importUsers(records, {}, { em })
      expect(report).toMatchObject({ imported: 1, alreadyThere: 1, refused: 1 })
    })
    expect(await countUsers(records[1]?.email ?? '')).toBe(0)
    expect(await countEntries()).toBe(before)

    await inTransaction((em) => auth.auth.admin.importUsers(records, {}, { em }))
    expect(await countUsers(records[1]?.email ?? '')).toBe(1)
  })

  it('an erasure and earlier statements do, too', async () => {
    const { admin, api } = auth.auth
    const { user, accessToken } = await auth.given.session(newEmail())
    const entriesOf = () =>
      auth.rows('select * from auth.audit_entries where $1 in (actor_id, user_id) order by id', [
        user.id,
      ])
    const before = await entriesOf()

    await thenChangesMind(async (em) => {
      await api.signInWithPassword({ email: user.email ?? '', password: testPassword }, { em })
      await admin.eraseUser(user.id, { em })
      await expect(admin.exportUser(user.id, { em })).rejects.toMatchObject({ status: 404 })
    })
    await thenChangesMind((em) => api.deleteUser({ accessToken, password: testPassword }, { em }))
    expect((await auth.get('/user', { token: accessToken })).status).toBe(200)
    expect(await entriesOf()).toEqual(before)

    await inTransaction(async (em) => {
      em.create(Note, { id: crypto.randomUUID(), owner: user.id, text: 'goes with its owner' })
      await em.flush()
      await admin.eraseUser(user.id, { em })
    })
    expect(await countUsers(user.email ?? '')).toBe(0)
    expect(await entriesOf()).toEqual([])
    expect(await auth.rows('select 1 from public.note where owner = $1', [user.id])).toEqual([])
  })

  it('lists contain uncommitted rows', async () => {
    const { admin } = auth.auth

    await thenChangesMind(async (em) => {
      const { id } = await admin.createUser({ email: newEmail() }, { em })
      const { users } = await admin.listUsers({ limit: 1000 }, { em })
      const { entries } = await admin.listAudit({ limit: 1000 }, { em })
      expect(users.map((user) => user.id)).toContain(id)
      expect(entries.map(({ userId }) => userId)).toContain(id)
    })
  })

  it('a new password and the end of other sessions do, too', async () => {
    const { user, accessToken } = await auth.given.session(newEmail())
    const password = 'a brand new password'

    await thenChangesMind((em) => auth.auth.api.updateUser({ accessToken, password }, { em }))

    const signIn = auth.auth.api.signInWithPassword({
      email: user.email ?? '',
      password: testPassword,
    })
    await expect(signIn).resolves.toMatchObject({ user: { id: user.id } })
  })

  it('a sign-in, a refresh and a sign-out do, too', async () => {
    const { user, accessToken, refreshToken } = await auth.given.session(newEmail())
    const sessions = () => auth.rows('select * from auth.sessions where user_id = $1', [user.id])
    const before = await sessions()

    await thenChangesMind(async (em) => {
      const credentials = { email: user.email ?? '', password: testPassword }
      await auth.auth.api.signInWithPassword(credentials, { em })
      await auth.auth.api.refreshSession({ refreshToken }, { em })
      await auth.auth.api.signOut({ accessToken }, { em })
    })

    expect(await sessions()).toEqual(before)
  })

  it('a rejection leaves it usable: no failed statement was sent', async () => {
    const user = await auth.given.user(newEmail())
    const email = newEmail()

    await inTransaction(async (em) => {
      const duplicate = auth.auth.admin.createUser({ email: user.email ?? '' }, { em })
      await expect(duplicate).rejects.toMatchObject({ code: 'email_exists' })
      await auth.auth.admin.createUser({ email }, { em })
    })

    expect(await countUsers(email)).toBe(1)
  })
})

it('does not reveal the rows that the database rejected in it (rule 10)', async () => {
  const user = await auth.given.user(newEmail())

  const rejection = whileWritesBreak(auth, () =>
    inTransaction((em) => auth.auth.admin.updateUser(user.id, { role: 'staff' }, { em })),
  )
  const error = await rejection.catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({ name: 'DatabaseError', code: '23514' })
  expect(inspect(error, { depth: 12, showHidden: true })).not.toContain('host-')
})

it('does not affect calls without the option, although they run inside', async () => {
  const user = await auth.given.user(newEmail())

  await thenChangesMind(() => auth.auth.admin.updateUser(user.id, { role: 'staff' }))

  expect((await auth.auth.admin.getUser(user.id)).role).toBe('staff')
})

it('rejects an entity manager of another database', async () => {
  const other = await startTestAuth()
  const elsewhere = await MikroORM.init({
    entities: [Note],
    clientUrl: other.databaseUrl,
    logger: () => {},
  })
  const email = newEmail()

  const creating = elsewhere.em
    .fork()
    .transactional((em) => auth.auth.admin.createUser({ email }, { em: em as SqlEntityManager }))

  await expect(creating).rejects.toThrow('em runs its transaction in another database')
  expect(await other.rows('select id from auth.users where email = $1', [email])).toEqual([])
  await elsewhere.close()
  await other.close()
})

it('rejects an entity manager that runs no transaction', async () => {
  const email = newEmail()

  const creating = auth.auth.admin.createUser({ email }, { em: host.em.fork() as SqlEntityManager })

  await expect(creating).rejects.toThrow('runs no transaction')
  expect(await countUsers(email)).toBe(0)
})
