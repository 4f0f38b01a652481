import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeRealm, startFakeRealm } from './support/fake-realm.ts'
import { newPerson } from './support/linking.ts'
import { type MessageServer, startMessageServer } from './support/message-server.ts'
import { createStorage, type FlowType, type RecordingClient } from './support/supabase-client.ts'

// The unmodified client, and the identities of its user.

const password = 'correct horse 1'
const home = 'https://app.example.test/settings'

let server: MessageServer
let realm: FakeRealm
let people = 0

beforeAll(async () => {
  realm = await startFakeRealm()
  server = await startMessageServer({
    AUTH_SECURITY_MANUAL_LINKING_ENABLED: 'true',
    AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
    AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'client',
    AUTH_EXTERNAL_KEYCLOAK_SECRET: 'secret',
    AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI: 'https://auth.example.test/callback',
    AUTH_EXTERNAL_KEYCLOAK_URL: realm.url,
    AUTH_URI_ALLOW_LIST: home,
    AUTH_MAILER_NOTIFICATIONS_IDENTITY_LINKED_ENABLED: 'true',
    AUTH_MAILER_NOTIFICATIONS_IDENTITY_UNLINKED_ENABLED: 'true',
  })
})
afterAll(async () => {
  await server?.close()
  await realm?.close()
})

async function signedIn(flowType: FlowType) {
  const email = `identity${++people}@example.test`
  await server.operator().createUser({ email, password, email_confirm: true })
  const storage = createStorage()
  const client = server.client({ storage, flowType })
  await client.signInWithPassword({ email, password })
  return { email, client, storage }
}

/** Starts an authorization request at the realm, and returns the callback URL for this user. */
async function leave(client: RecordingClient, person = newPerson()): Promise<string> {
  const options = { redirectTo: home, skipBrowserRedirect: true }
  const { data, error } = await client.linkIdentity({ provider: 'keycloak', options })
  if (error) throw error
  const left = new URL(data.url ?? '')
  const query = new URLSearchParams({
    state: left.searchParams.get('state') ?? '',
    code: realm.codeFor(person),
  })
  return `${left.searchParams.get('redirect_uri')}?${query}`
}

describe.each<FlowType>(['implicit', 'pkce'])('linkIdentity in the %s flow', (flowType) => {
  it('ends in a session of the same user with one more identity', async () => {
    const { email, client, storage } = await signedIn(flowType)
    const person = newPerson()
    const landing = await server.land(await leave(client, person), { storage, flowType })

    expect(landing.error).toBeNull()
    expect(landing.session?.user.email).toBe(email)
    expect(landing.session?.provider_token).toContain('token of')
    const { data } = await landing.client.getUserIdentities()
    expect(data?.identities).toMatchObject([
      { provider: 'email' },
      { provider: 'keycloak', id: person.sub, email: person.email },
    ])
    expect((await server.mailTo(email)).subject).toContain('was linked to your account')
  })

  it('returns an error for an identity of another user', async () => {
    const person = newPerson()
    await server.follow(await leave((await signedIn(flowType)).client, person))
    const { client, storage } = await signedIn(flowType)
    const landing = await server.land(await leave(client, person), { storage, flowType })
    expect(landing.error?.message).toBe('Identity is already linked to another user')
  })
})

it('unlinkIdentity removes one, and rejects the last', async () => {
  const { email, client } = await signedIn('implicit')
  await server.follow(await leave(client))
  await server.mailTo(email)
  const { data } = await client.getUserIdentities()
  const [own, linked] = data?.identities ?? []
  if (!own || !linked) throw new Error('nothing was linked')

  expect((await client.unlinkIdentity(linked)).error).toBeNull()
  expect((await server.mailTo(email)).subject).toContain('was removed from your account')
  expect((await client.getUserIdentities()).data?.identities).toMatchObject([{ provider: 'email' }])
  expect((await client.unlinkIdentity(own)).error).toMatchObject({
    code: 'single_identity_not_deletable',
    status: 422,
  })
  expect((await client.unlinkIdentity(linked)).error).toMatchObject({
    code: 'single_identity_not_deletable',
  })
})
