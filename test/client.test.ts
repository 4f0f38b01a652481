import { generateKeyPairSync, type JsonWebKey, randomUUID } from 'node:crypto'
import { AuthWeakPasswordError, type GoTrueClient, type Session } from '@supabase/auth-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serviceToken } from './support/ask.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { createStorage, openClient, type RecordingClient } from './support/supabase-client.ts'

const password = 'correct horse 1'
/** The client caches keys by their ids, for the lifetime of its process. */
const signingKeyId = randomUUID()

let database: TestDatabase
/** Signs with the shared secret. */
let server: ServerProcess
/** Signs with ES256, with a lifetime so short that clients renew at every opportunity. */
let asymmetric: ServerProcess
let users = 0

const newEmail = () => `client${++users}@example.test`

async function signedUp(client: GoTrueClient, email = newEmail()): Promise<Session> {
  const { data, error } = await client.signUp({ email, password })
  if (error || !data.session) throw error ?? new Error('no session')
  return data.session
}

/** Creates a number of clients, all signed in as one new user. */
async function signedIn(count: number): Promise<RecordingClient[]> {
  const email = newEmail()
  await signedUp(openClient(server.url), email)
  const clients = Array.from({ length: count }, () => openClient(server.url))
  for (const client of clients) await client.signInWithPassword({ email, password })
  return clients
}

const expired = (session: Session): Session => ({ ...session, expires_at: 1 })

const isSignedIn = async (client: GoTrueClient) => (await client.getUser()).data.user !== null

beforeAll(async () => {
  database = await createTestDatabase()
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk: JsonWebKey = {
    ...privateKey.export({ format: 'jwk' }),
    kid: signingKeyId,
    key_ops: ['sign'],
  }
  const starting = [
    startServer(database.url, {
      AUTH_PASSWORD_MIN_LENGTH: '8',
      AUTH_PASSWORD_REQUIRED_CHARACTERS: 'abcdefghijklmnopqrstuvwxyz:0123456789',
    }),
    startServer(database.url, { AUTH_JWT_KEYS: JSON.stringify([jwk]), AUTH_JWT_EXP: '60' }),
  ] as const
  ;[server, asymmetric] = await Promise.all(starting)
})

afterAll(async () => {
  await Promise.all([server?.stop(), asymmetric?.stop()])
  await database?.drop()
})

describe('the client of @supabase/auth-js', () => {
  it('signs up, and is signed in at once', async () => {
    const client = openClient(server.url)
    const email = newEmail()

    const { data, error } = await client.signUp({ email, password, options: { data: { n: 1 } } })

    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, role: 'authenticated', user_metadata: { n: 1 } })
    expect(data.session?.user.id).toBe(data.user?.id)
  })

  it('signs in with a password', async () => {
    const email = newEmail()
    const { user } = await signedUp(openClient(server.url), email)

    const { data, error } = await openClient(server.url).signInWithPassword({ email, password })

    expect(error).toBeNull()
    expect(data.user?.id).toBe(user.id)
    expect(data.session).toMatchObject({ token_type: 'bearer', expires_in: 3600 })
  })

  it('receives the same error for a wrong password and an unknown address', async () => {
    const email = newEmail()
    await signedUp(openClient(server.url), email)
    const client = openClient(server.url)

    const wrong = await client.signInWithPassword({ email, password: 'wrong horse 1' })
    const unknown = await client.signInWithPassword({ email: newEmail(), password })

    expect(wrong.error).toMatchObject({ code: 'invalid_credentials', status: 400 })
    expect(unknown.error).toMatchObject({
      code: 'invalid_credentials',
      status: 400,
      message: wrong.error?.message,
    })
  })

  it('receives the violated rules for a weak password', async () => {
    const { error } = await openClient(server.url).signUp({ email: newEmail(), password: 'abc' })

    expect(error).toBeInstanceOf(AuthWeakPasswordError)
    expect(error).toMatchObject({ code: 'weak_password', reasons: ['length', 'characters'] })
  })

  it('receives an error for a taken address', async () => {
    const email = newEmail()
    await signedUp(openClient(server.url), email)

    const { data, error } = await openClient(server.url).signUp({ email, password })

    expect(error).toMatchObject({ code: 'user_already_exists', status: 422 })
    expect(data.session).toBeNull()
  })

  it('reads its session from its storage', async () => {
    const storage = createStorage()
    const { user, access_token } = await signedUp(openClient(server.url, { storage }))
    const later = openClient(server.url, { storage })

    const { data } = await later.getSession()

    expect(data.session).toMatchObject({ access_token, user: { id: user.id } })
    expect(later.requests).toEqual([])
  })

  it('renews an expired session of its storage', async () => {
    const storage = createStorage()
    const first = await signedUp(openClient(server.url, { storage }))
    storage.change(expired)
    const later = openClient(server.url, { storage })

    const { data } = await later.getSession()

    expect(later.requests).toEqual(['POST /token?grant_type=refresh_token'])
    expect(data.session?.refresh_token).not.toBe(first.refresh_token)
    expect(await isSignedIn(later)).toBe(true)
  })

  it('renews a session in the background before it expires', async () => {
    const client = openClient(asymmetric.url)
    const first = await signedUp(client)
    const renewed = new Promise<Session | null>((resolve) => {
      client.onAuthStateChange((event, session) => {
        if (event === 'TOKEN_REFRESHED') resolve(session)
      })
    })

    await client.startAutoRefresh()
    const session = await renewed
    await client.stopAutoRefresh()

    expect(session?.user.id).toBe(first.user.id)
    expect(session?.refresh_token).not.toBe(first.refresh_token)
  })

  it('removes an expired session that can no longer be renewed', async () => {
    const storage = createStorage()
    const { access_token } = await signedUp(openClient(server.url, { storage }))
    await openClient(server.url).admin.signOut(access_token, 'global')
    storage.change(expired)

    const { data, error } = await openClient(server.url, { storage }).getSession()

    expect(error).toMatchObject({ code: 'refresh_token_not_found', status: 400 })
    expect(data.session).toBeNull()
    expect(storage.isEmpty()).toBe(true)
  })
})

describe('getUser and getClaims', () => {
  it('fetch the user', async () => {
    const client = openClient(server.url)
    const { user } = await signedUp(client)

    const { data, error } = await client.getUser()

    expect(error).toBeNull()
    expect(data.user).toEqual(user)
  })

  it('query the server for a token that is signed with a shared secret', async () => {
    const client = openClient(server.url)
    const { user, access_token } = await signedUp(client)
    client.requests.length = 0

    const { data, error } = await client.getClaims(access_token)

    expect(error).toBeNull()
    expect(data?.claims).toMatchObject({ sub: user.id, aud: 'authenticated', aal: 'aal1' })
    expect(client.requests).toEqual(['GET /user'])
  })

  it('verify a token with the published keys, without a query for it', async () => {
    const client = openClient(asymmetric.url)
    const { user, access_token } = await signedUp(client)
    client.requests.length = 0

    const { data, error } = await client.getClaims(access_token)

    expect(error).toBeNull()
    expect(data?.header).toMatchObject({ alg: 'ES256', kid: signingKeyId })
    expect(data?.claims).toMatchObject({ sub: user.id, email: user.email })
    expect(client.requests).toEqual(['GET /.well-known/jwks.json'])
  })
})

describe('updateUser', () => {
  it('changes metadata', async () => {
    const client = openClient(server.url)
    await signedUp(client)

    const { data, error } = await client.updateUser({ data: { name: 'Ada' } })

    expect(error).toBeNull()
    expect(data.user?.user_metadata).toMatchObject({ name: 'Ada' })
    expect((await client.getSession()).data.session?.user).toEqual(data.user)
  })

  it('changes the password, and keeps this session only', async () => {
    const [client, other] = (await signedIn(2)) as [RecordingClient, RecordingClient]

    const { data, error } = await client.updateUser({ password: 'another horse 2' })

    expect(error).toBeNull()
    expect([await isSignedIn(client), await isSignedIn(other)]).toEqual([true, false])
    const email = data.user?.email ?? ''
    const old = await openClient(server.url).signInWithPassword({ email, password })
    expect(old.error?.code).toBe('invalid_credentials')
    const now = openClient(server.url)
    expect((await now.signInWithPassword({ email, password: 'another horse 2' })).error).toBeNull()
  })
})

describe('signOut', () => {
  it.each([
    { scope: 'local', remaining: [false, true, true] },
    { scope: 'others', remaining: [true, false, false] },
    { scope: 'global', remaining: [false, false, false] },
  ] as const)('ends the sessions of scope $scope', async ({ scope, remaining }) => {
    const clients = await signedIn(3)

    const { error } = (await clients[0]?.signOut({ scope })) ?? {}

    expect(error).toBeNull()
    expect(await Promise.all(clients.map(isSignedIn))).toEqual(remaining)
  })

  it('is detected by a client whose session was deleted: it removes the session', async () => {
    const storage = createStorage()
    const client = openClient(server.url, { storage })
    const { access_token } = await signedUp(client)
    await openClient(server.url).admin.signOut(access_token, 'global')

    const { error } = await client.getUser()

    expect(error?.name).toBe('AuthSessionMissingError')
    expect(storage.isEmpty()).toBe(true)
  })
})

describe('admin', () => {
  const operator = () => openClient(server.url, { token: serviceToken() }).admin

  it('creates a user who can sign in, and returns the user by id', async () => {
    const email = newEmail()

    const { data, error } = await operator().createUser({
      email,
      password,
      email_confirm: true,
      app_metadata: { plan: 'gold' },
    })
    const found = await operator().getUserById(data.user?.id ?? '')

    expect(error).toBeNull()
    expect(data.user).toMatchObject({ email, app_metadata: { plan: 'gold' } })
    expect(found.data.user).toEqual(data.user)
    const signIn = await openClient(server.url).signInWithPassword({ email, password })
    expect(signIn.error).toBeNull()
  })

  it('bans a user, after which sign-in, renewal and getUser fail', async () => {
    const client = openClient(server.url)
    const { user } = await signedUp(client)

    const { data, error } = await operator().updateUserById(user.id, { ban_duration: '1h' })

    expect(error).toBeNull()
    expect(Date.parse(data.user?.banned_until ?? '')).toBeGreaterThan(Date.now())
    expect((await client.getUser()).error?.code).toBe('user_banned')
    expect((await client.refreshSession()).error?.code).toBe('user_banned')
    const email = user.email ?? ''
    const signIn = await openClient(server.url).signInWithPassword({ email, password })
    expect(signIn.error?.code).toBe('user_banned')
  })

  it('unbans a user, after which sign-in succeeds', async () => {
    const { user } = await signedUp(openClient(server.url))
    await operator().updateUserById(user.id, { ban_duration: '1h' })

    await operator().updateUserById(user.id, { ban_duration: 'none' })

    const email = user.email ?? ''
    const signIn = await openClient(server.url).signInWithPassword({ email, password })
    expect(signIn.error).toBeNull()
  })

  it('is rejected for users', async () => {
    const { access_token } = await signedUp(openClient(server.url))
    const { admin } = openClient(server.url, { token: access_token })

    const { error } = await admin.createUser({ email: newEmail(), password })

    expect(error).toMatchObject({ code: 'not_admin', status: 403 })
  })
})
