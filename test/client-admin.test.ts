import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceToken } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { openClient } from './support/supabase-client.ts'

// The operations of operators with the unmodified client of @supabase/auth-js.

const password = 'correct horse'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url)
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

const operator = (role?: string) => openClient(server.url, { token: serviceToken(role) })
const signIn = (email: string | undefined) =>
  openClient(server.url).signInWithPassword({ email: email ?? '', password })

let made = 0
async function newUser() {
  const email = `operated${++made}@example.test`
  const { data, error } = await operator().admin.createUser({
    email,
    password,
    email_confirm: true,
  })
  if (error) throw error
  return data.user
}

describe('listUsers', () => {
  it('returns pages, and the numbers of the next and the last one', async () => {
    const users = []
    for (let at = 0; at < 5; at += 1) users.push(await newUser())

    const first = await operator().admin.listUsers({ page: 1, perPage: 2 })
    const second = await operator().admin.listUsers({ page: 2, perPage: 2 })
    const third = await operator().admin.listUsers({ page: 3, perPage: 2 })

    expect([first, second, third].map(({ error }) => error)).toEqual([null, null, null])
    expect(first.data).toMatchObject({ aud: 'authenticated', nextPage: 2, lastPage: 3, total: 5 })
    expect(second.data).toMatchObject({ nextPage: 3, lastPage: 3, total: 5 })
    expect(third.data).toMatchObject({ nextPage: null, lastPage: 3, total: 5 })
    const listed = [first, second, third].flatMap(({ data }) => data.users.map(({ id }) => id))
    expect(listed).toEqual(users.map(({ id }) => id).toReversed())
  })

  it('returns all users without a page', async () => {
    await newUser()

    const { data, error } = await operator().admin.listUsers()

    expect(error).toBeNull()
    expect(data.users).toHaveLength(made)
    expect(data).toMatchObject({ nextPage: null, lastPage: 1, total: made })
  })

  it('is rejected for users, and for invalid pages', async () => {
    const { data } = await signIn((await newUser()).email)
    const user = openClient(server.url, { token: data.session?.access_token ?? '' })

    const asUser = await user.admin.listUsers()
    const asAnon = await operator('anon').admin.listUsers()
    const wrong = await operator().admin.listUsers({ page: -1 })

    expect(asUser).toMatchObject({ data: { users: [] }, error: { code: 'not_admin', status: 403 } })
    expect(asAnon.error).toMatchObject({ code: 'not_admin', status: 403 })
    expect(wrong.error).toMatchObject({ code: 'validation_failed', status: 400 })
  })
})

describe('getUserById and updateUserById', () => {
  it('return and change a user', async () => {
    const { id } = await newUser()

    const changed = await operator().admin.updateUserById(id, {
      email: 'moved@example.test',
      phone: '+4915550001',
      phone_confirm: true,
      user_metadata: { name: 'Ada' },
      app_metadata: { plan: 'pro' },
      role: 'editor',
    })
    const found = await operator().admin.getUserById(id)

    expect(changed.error).toBeNull()
    expect(changed.data.user).toMatchObject({
      email: 'moved@example.test',
      phone: '4915550001',
      role: 'editor',
      app_metadata: { plan: 'pro', providers: ['email', 'phone'] },
    })
    expect(found.data.user).toEqual(changed.data.user)
  })

  it('return an error for an unknown user', async () => {
    const id = '00000000-0b57-4a39-9c39-0d3f1f7c1e0b'
    const { admin } = operator()

    const answers = [
      await admin.getUserById(id),
      await admin.updateUserById(id, { role: 'editor' }),
      await admin.deleteUser(id),
    ]

    for (const { error } of answers) {
      expect(error).toMatchObject({ code: 'user_not_found', status: 404 })
    }
  })

  it('send no other path: the client itself rejects an invalid id (T23)', async () => {
    const client = operator()

    await expect(client.admin.getUserById('../settings')).rejects.toThrow('UUID')
    await expect(client.admin.deleteUser('../users')).rejects.toThrow('UUID')
    expect(client.requests).toEqual([])
  })
})

describe('deleteUser', () => {
  it('deletes a user, whose sessions end', async () => {
    const { id, email } = await newUser()
    const client = openClient(server.url)
    await client.signInWithPassword({ email: email ?? '', password })

    const { error } = await operator().admin.deleteUser(id)

    expect(error).toBeNull()
    expect((await client.getUser()).error?.code).toBe('user_not_found')
    expect((await signIn(email)).error?.code).toBe('invalid_credentials')
    expect((await operator().admin.getUserById(id)).error?.code).toBe('user_not_found')
  })

  it('keeps the row of a soft-deleted user, and releases the address', async () => {
    const { id, email } = await newUser()

    const { error } = await operator().admin.deleteUser(id, true)
    const { data } = await operator().admin.getUserById(id)
    const again = await operator().admin.createUser({ email: email ?? '', password })

    expect(error).toBeNull()
    expect(data.user).toMatchObject({ id, deleted_at: expect.any(String), user_metadata: {} })
    expect(data.user?.email).toMatch(/^[\w-]{43}$/)
    expect(again.error).toBeNull()
  })
})
