import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { issuerKey, type OpenIdIssuer, signAs, startOpenIdIssuer } from './support/openid-issuer.ts'
import { type ServerProcess, startServer } from './support/server-process.ts'
import { openClient } from './support/supabase-client.ts'

// The environment configures the provider: the issuer plays a realm of Keycloak.

const key = issuerKey('RS256', 'key-1')
let issuer: OpenIdIssuer
let database: TestDatabase
let server: ServerProcess

beforeAll(async () => {
  ;[issuer, database] = await Promise.all([startOpenIdIssuer([key]), createTestDatabase()])
  server = await startServer(database.url, {
    AUTH_EXTERNAL_KEYCLOAK_ENABLED: 'true',
    AUTH_EXTERNAL_KEYCLOAK_CLIENT_ID: 'web,app',
    AUTH_EXTERNAL_KEYCLOAK_SECRET: 'secret',
    AUTH_EXTERNAL_KEYCLOAK_REDIRECT_URI: 'https://app.example.test/callback',
    AUTH_EXTERNAL_KEYCLOAK_URL: issuer.issuer,
  })
})
afterAll(async () => {
  await server?.stop()
  await Promise.all([database?.drop(), issuer?.close()])
})

const nonce = createHash('sha256').update('raw nonce').digest('hex')

function tokenOf(claims: object = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const person = { sub: 'kc-1', email: 'ada@example.test', email_verified: true, name: 'Ada' }
  const times = { iat: now, exp: now + 300 }
  return signAs(key, { iss: issuer.issuer, aud: 'app', nonce, ...person, ...times, ...claims })
}

it('the client of @supabase/auth-js signs in with an id token', async () => {
  const client = openClient(server.url)

  const { data, error } = await client.signInWithIdToken({
    provider: 'keycloak',
    token: tokenOf(),
    access_token: 'access',
    nonce: 'raw nonce',
  })

  expect(error).toBeNull()
  expect(data.user).toMatchObject({
    email: 'ada@example.test',
    user_metadata: { name: 'Ada' },
    app_metadata: { provider: 'keycloak' },
  })
  expect((await client.getUser()).data.user?.id).toBe(data.user?.id)
})

it('it receives an error for a rejected token', async () => {
  const signIn = (token: string) =>
    openClient(server.url).signInWithIdToken({ provider: 'keycloak', token, nonce: 'raw nonce' })

  const refused = [await signIn(tokenOf({ exp: 1 })), await signIn(tokenOf({ aud: 'else' }))]

  expect(refused.map(({ error }) => [error?.status, error?.message])).toEqual([
    [400, 'Bad ID token'],
    [400, 'Unacceptable audience in id_token: [else]'],
  ])
})
