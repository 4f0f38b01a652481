import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOauthServer, callback, oauthOf, verifier } from '../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { createCookieSessions } from '../../hosts/cookie-sessions/create-cookie-sessions.ts'
import { signJws } from '../../platform/kit/jws.ts'

const issuer = 'https://auth.example.test'
let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    oauthServer: { ...asOauthServer.oauthServer, clientCredentials: { enabled: true } },
  })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const seconds = () => Math.floor(auth.clock.now().getTime() / 1000)

/** Returns a proof of a new key for the token endpoint. */
function proof(): Promise<string> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = { typ: 'dpop+jwt', jwk: publicKey.export({ format: 'jwk' }) }
  const claims = { htm: 'POST', htu: `${issuer}/oauth/token`, iat: seconds(), jti: 'one' }
  return signJws({ algorithm: 'ES256', key: privateKey }, header, claims)
}

const clientToken = async (): Promise<string> => {
  const { accessToken } = await auth.given.session()
  return (await oauth.tokens(await oauth.client(), accessToken)).access_token
}

const boundToken = async (): Promise<string> => {
  const client = await oauth.client({ token_endpoint_auth_method: 'none' })
  const { accessToken } = await auth.given.session()
  const fields = {
    grant_type: 'authorization_code',
    code: await oauth.code(client, accessToken),
    redirect_uri: callback,
    code_verifier: verifier,
    client_id: client.id,
  }
  const { body } = await auth.request('POST', '/oauth/token', {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', dpop: await proof() },
  })
  return body.access_token
}

const machineToken = async (): Promise<string> => {
  const client = await oauth.client({ redirect_uris: [], grant_types: ['client_credentials'] })
  const { body } = await oauth.form('/oauth/token', { grant_type: 'client_credentials' }, client)
  return body.access_token
}

describe.each([
  ['an OAuth client', clientToken],
  ['an OAuth client that is bound to a key', boundToken],
  ['an OAuth client itself', machineToken],
])('the token of %s', (_, given) => {
  it('is rejected by verifyToken, as by requireUser', async () => {
    const token = await given()

    await expect(auth.auth.verifyToken(token)).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  it('opens no session of a host', async () => {
    const sessions = createCookieSessions(auth.auth, { origin: 'https://app.example.test' })
    const authorization = `Bearer ${await given()}`

    const opening = sessions.open(
      new Request('https://app.example.test/', { headers: { authorization } }),
    )

    await expect(opening).rejects.toMatchObject({ code: 'bad_jwt' })
  })
})

it('of a user is accepted by both', async () => {
  const { accessToken, user } = await auth.given.session()
  const sessions = createCookieSessions(auth.auth, { origin: 'https://app.example.test' })
  const headers = { authorization: `Bearer ${accessToken}` }

  expect((await auth.auth.verifyToken(accessToken)).sub).toBe(user.id)
  const { viewer } = await sessions.open(new Request('https://app.example.test/', { headers }))
  expect(viewer?.userId).toBe(user.id)
})
