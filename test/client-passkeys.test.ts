import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAuthenticator } from './support/authenticator.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { openClient, type RecordingClient } from './support/supabase-client.ts'

let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  database = await createTestDatabase()
  server = await startServer(database.url, {
    AUTH_SITE_URL: 'https://app.example.test',
    AUTH_MAILER_AUTOCONFIRM: 'true',
    AUTH_PASSKEY_ENABLED: 'true',
    AUTH_PASSKEY_MAX_PASSKEYS_PER_USER: '1',
  })
})
afterAll(async () => {
  await server?.stop()
  await database?.drop()
})

/**
 * The client expects credentials of a browser; the authenticator of this test returns their JSON.
 */
type Registered = Parameters<RecordingClient['passkey']['verifyRegistration']>[0]['credential']
type Asserted = Parameters<RecordingClient['passkey']['verifyAuthentication']>[0]['credential']

/** Fails a test where the client received an error. */
function dataOf<Data>({ data, error }: { data: Data; error: Error | null }): NonNullable<Data> {
  if (error || !data) throw error ?? new Error('there is no data')
  return data
}

async function register(client: RecordingClient, authenticator = createAuthenticator()) {
  const { challenge_id: challengeId, options } = dataOf(await client.passkey.startRegistration())
  const credential = authenticator.create(options as never) as Registered
  return {
    authenticator,
    made: await client.passkey.verifyRegistration({ challengeId, credential }),
  }
}

const newUser = async () => {
  const client = openClient(server.url)
  const email = `${crypto.randomUUID()}@example.test`
  const { user } = dataOf(await client.signUp({ email, password: 'correct horse' }))
  return { client, user }
}

describe('the client', () => {
  it('registers a passkey, signs in with it, lists, renames and deletes it', async () => {
    const { client, user } = await newUser()
    const { authenticator, made } = await register(client)
    const passkey = dataOf(made)

    const other = openClient(server.url)
    const events: string[] = []
    other.onAuthStateChange((event) => void events.push(event))
    const requested = dataOf(await other.passkey.startAuthentication())
    const credential = authenticator.get(requested.options as never) as Asserted
    const challengeId = requested.challenge_id
    const signedIn = dataOf(await other.passkey.verifyAuthentication({ challengeId, credential }))

    expect(signedIn.user?.id).toBe(user?.id)
    expect(events).toContain('SIGNED_IN')
    expect((await other.getSession()).data.session?.access_token).toBeTypeOf('string')
    const listed = dataOf(await other.passkey.list())
    expect(listed).toMatchObject([
      { id: passkey.id, friendly_name: 'Passkey', last_used_at: expect.any(String) },
    ])
    const renamed = await other.passkey.update({ passkeyId: passkey.id, friendlyName: 'Phone' })
    expect(renamed.data).toMatchObject({ id: passkey.id, friendly_name: 'Phone' })
    expect((await other.passkey.delete({ passkeyId: passkey.id })).error).toBeNull()
    expect(dataOf(await other.passkey.list())).toEqual([])
  })

  it('receives error codes', async () => {
    const { client } = await newUser()
    const { authenticator, made } = await register(client)
    const passkeyId = dataOf(made).id
    const requested = dataOf(await client.passkey.startAuthentication())
    const { challenge_id: challengeId } = requested
    const credential = authenticator.get(requested.options as never, { forged: true }) as Asserted
    const answer = () => client.passkey.verifyAuthentication({ challengeId, credential })

    const full = await client.passkey.startRegistration()
    const forged = await answer()
    const again = await answer()
    const unknown = await client.passkey.delete({ passkeyId: crypto.randomUUID() })
    const nameless = await client.passkey.update({ passkeyId, friendlyName: '' })

    const answers = [full, forged, again, unknown, nameless]
    expect(answers.map(({ error }) => error)).toMatchObject([
      { status: 422, code: 'too_many_passkeys' },
      { status: 400, code: 'webauthn_verification_failed' },
      { status: 400, code: 'webauthn_challenge_not_found' },
      { status: 404, code: 'validation_failed' },
      { status: 400, code: 'validation_failed' },
    ])
  })
})
