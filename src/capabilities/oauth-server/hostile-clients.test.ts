import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  claimsIn,
  locationOf,
  oauthOf,
} from '../../../test/support/oauth-clients.ts'
import {
  requestMethods,
  startTestAuth,
  type TestAuth,
  withoutAutoconfirm,
} from '../../../test/support/test-auth.ts'

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>

beforeAll(async () => {
  auth = await startTestAuth({
    ...asOauthServer,
    jwt: { ...asOauthServer.jwt, audience: 'https://api.example.test' },
    usernames: { enabled: true },
  })
  oauth = oauthOf(auth)
})
afterAll(() => auth.close())

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

it('rejects the audience of the tokens of users as the resource of a client', async () => {
  const client = await oauth.client()

  const answer = await oauth.authorize(client, { resource: 'https://api.example.test' })

  expect(locationOf(answer).searchParams.get('error')).toBe('invalid_target')
})

it('names a user by the unique user name, whatever the metadata contains', async () => {
  const { accessToken: token } = await auth.given.session()
  await auth.put('/user', { username: 'ada', data: { preferred_username: 'admin' } }, { token })

  const tokens = await oauth.tokens(await oauth.client(), token, { scope: 'openid profile' })

  expect(claimsIn(tokens.id_token ?? '')['preferred_username']).toBe('ada')
})

describe('S134: an address that autoconfirm confirmed', () => {
  const verifiedIn = (claims: Record<string, unknown>) => [
    claims['email_verified'],
    claims['phone_number_verified'],
  ]

  it.each([
    ['with', {}, [false, false], '491525550001'],
    ['without', withoutAutoconfirm, [true, true], '491525550002'],
  ])('has this verification for clients: %s autoconfirm', async (_, config, expected, phone) => {
    const other = await auth.beside(config)
    const at = oauthOf({ ...auth, ...requestMethods(other.request) })
    const { user, accessToken } = await auth.given.session()
    await auth.auth.admin.updateUser(user.id, { phone, phoneConfirm: true })

    const tokens = await at.tokens(await at.client(), accessToken, { scope: 'openid email phone' })
    const { body } = await requestMethods(other.request).get('/oauth/userinfo', {
      token: tokens.access_token,
    })

    expect(verifiedIn(claimsIn(tokens.id_token ?? ''))).toEqual(expected)
    // Userinfo leaves out false claims.
    expect(verifiedIn(body)).toEqual(expected.map((isVerified) => isVerified || undefined))
    expect(body.email).toBe(user.email)
    await other.close()
  })
})

describe('S136: a host that is syntax of headers', () => {
  it.each(['c.evil.test;sandbox', 'c.evil.test,sandbox', '*', "'self'", '*.evil.test'])(
    'is rejected in each URI of a client: %s',
    async (host) => {
      const uri = `https://${host}/x`
      for (const metadata of [{ redirect_uris: [uri] }, { client_uri: uri }, { logo_uri: uri }]) {
        await expect(oauth.client(metadata)).rejects.toThrow(
          'must have a host of letters, digits, dots and hyphens, or an IP address',
        )
      }
    },
  )

  it('is none in the usual forms', async () => {
    const redirect_uris = ['https://client-1.example.test:8443/cb', 'https://[2001:db8::1]/cb']
    await oauth.client({ redirect_uris, client_uri: 'https://CLIENT.example.test/' })
  })
})

describe('S137: the picture of a user', () => {
  it.each([
    ['javascript:alert(1)', undefined],
    [' javascript:alert(1)', undefined],
    ['data:text/html,<script>alert(1)</script>', undefined],
    ['https://cdn.example.test/"><script>alert(1)</script> x', undefined],
    ['//cdn.example.test/ada.png', undefined],
    ['https://', undefined],
    ['https://cdn.example.test/ada.png', 'https://cdn.example.test/ada.png'],
    ['http://cdn.example.test/ada.png', 'http://cdn.example.test/ada.png'],
  ])('is issued to clients if it is a URL of the web: %s', async (picture, expected) => {
    const { accessToken: token } = await auth.given.session()
    await auth.put('/user', { data: { picture } }, { token })

    const tokens = await oauth.tokens(await oauth.client(), token, { scope: 'openid profile' })
    const described = await auth.get('/oauth/userinfo', { token: tokens.access_token })

    expect(claimsIn(tokens.id_token ?? '')['picture']).toBe(expected)
    expect(described.body.picture).toBe(expected)
  })
})

describe('S93: the name of a client', () => {
  const register = (client_name: string) =>
    auth.post('/oauth/clients/register', { redirect_uris: [callback], client_name })

  it.each([
    ['an override of the direction', 'Notes\u202egpj'],
    ['an isolate of the direction', '\u2066Notes\u2069'],
    ['a mark of the direction', 'Notes\u200f'],
    ['an invisible space', 'No\u200btes'],
    ['an invisible joiner', 'No\u200dtes'],
    ['an invisible letter', '\u3164'],
    ['a soft hyphen', 'No\u00adtes'],
    ['an invisible tag', 'Notes\u{e0041}'],
    ['a line break', 'Notes\nSigned in as admin'],
    ['a line separator', 'Notes\u2028x'],
    ['a tab', 'Notes\tx'],
    ['a no-break space', 'Notes\u00a0x'],
    ['a half of a character', 'Notes\ud83d'],
    ['blanks only', '   '],
    ['a mark without a letter', '\u0301'],
    ['1,025 characters', 'x'.repeat(1025)],
  ])('with %s is rejected, at registration and by operators', async (_, name) => {
    const registered = await register(name)
    const created = await auth.post(
      '/admin/oauth/clients',
      { redirect_uris: [callback], client_name: name },
      { token: await auth.given.serviceToken() },
    )

    expect([registered.status, registered.body.error]).toEqual([400, 'invalid_client_metadata'])
    expect([created.status, created.body.error_code]).toEqual([400, 'validation_failed'])
  })

  it.each([
    'Notes',
    'Ärzte & Söhne, Inc.',
    'メモ帳',
    'מחברת',
    '🗒️',
    '👩‍💻 Tools',
    '24',
    'x'.repeat(1024),
  ])('may be %s', async (name) => {
    const { status, body } = await register(name)

    expect([status, body.client_name]).toEqual([201, name])
  })

  it.each(['client_uri', 'logo_uri'])('beside a long %s is rejected', async (field) => {
    const uri = `https://client.example.test/${'x'.repeat(2_048)}`
    const { status, body } = await auth.post('/oauth/clients/register', {
      redirect_uris: [callback],
      [field]: uri,
    })

    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
  })
})

/** Returns a public key that takes long to verify a signature with, and none is signed with. */
const slowKey = () => {
  const modulus = randomBytes(512)
  modulus.writeUInt8(0x80 | modulus.readUInt8(0), 0)
  modulus.writeUInt8(1 | modulus.readUInt8(511), 511)
  return { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' }
}

it('S142: tries four keys of a client only, which a registration may fill with slow ones', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const own = publicKey.export({ format: 'jwk' })
  /** Returns the error where the key of the signature is at this place. */
  const errorOf = async (place: number) => {
    const { body } = await auth.post('/oauth/clients/register', {
      redirect_uris: [callback],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [...Array.from({ length: place - 1 }, slowKey), own] },
    })
    const id = body.client_id
    const exp = Math.floor(auth.clock.now().getTime() / 1000) + 60
    const claims = { iss: id, sub: id, aud: 'https://auth.example.test', exp, jti: randomUUID() }
    const signed = `${part({ alg: 'RS256' })}.${part(claims)}`
    const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url')
    const answer = await oauth.form('/oauth/token', {
      grant_type: 'authorization_code',
      code: 'none',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${signed}.${signature}`,
    })
    return answer.body.error
  }

  expect([await errorOf(4), await errorOf(5)]).toEqual(['invalid_grant', 'invalid_client'])
})

describe('values that cannot be converted to text', () => {
  const inconvertible = { toString: 'a', valueOf: 'a' }

  it('are no grants of a client', async () => {
    const answer = await auth.post('/oauth/clients/register', {
      redirect_uris: ['https://notes.example/callback'],
      client_name: 'Notes',
      grant_types: [inconvertible],
    })

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_client_metadata'])
    expect(answer.body.error_description).toMatch(/^grant_types: /)
  })

  it('are no audience of an assertion', async () => {
    const { body } = await auth.post('/oauth/clients/register', {
      redirect_uris: ['https://notes.example/callback'],
      client_name: 'Notes',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [slowKey()] },
    })
    const id = body.client_id
    const claims = { iss: id, sub: id, aud: [inconvertible], jti: randomUUID() }
    const answer = await oauth.form('/oauth/token', {
      grant_type: 'authorization_code',
      code: 'none',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: `${part({ alg: 'RS256' })}.${part(claims)}.AA`,
    })

    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_client'])
  })
})

it.each(['é', 'two words', 12])(
  'the scope %j of a client is rejected with the rule',
  async (scope) => {
    const { status, body } = await auth.post(
      '/admin/oauth/clients',
      { redirect_uris: [callback], allowed_scopes: [scope] },
      { token: await auth.given.serviceToken() },
    )

    const rule = 'at most 100 visible ASCII characters'
    expect([status, body.msg]).toEqual([400, expect.stringContaining(rule)])
  },
)

it('the id in the wire form of a client without a name is not stored as its name', async () => {
  const token = await auth.given.serviceToken()
  const metadata = { redirect_uris: [callback] }
  const { body } = await auth.post('/admin/oauth/clients', metadata, { token })
  const path = `/admin/oauth/clients/${body.client_id}`
  const { client_name } = (await auth.get(path, { token })).body
  const { status } = await auth.put(path, { client_name }, { token })
  const rows = await auth.rows('select client_name from auth.oauth_clients where id = $1', [
    body.client_id,
  ])

  expect([client_name, status, rows]).toEqual([body.client_id, 200, [{ client_name: null }]])
})

it('S149: a replaced secret stays invalid when the client returns to it', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' }]
  const { clientId, clientSecret } = await auth.auth.admin.oauth.createClient({
    clientName: 'Leaked',
    redirectUris: [callback],
  })
  const revokeWith = async (secret: string | null) => {
    const authorization = `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`
    const body = new URLSearchParams({ token: 'unknown' }).toString()
    const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    return (await auth.request('POST', '/oauth/revoke', { body, headers })).status
  }
  expect(await revokeWith(clientSecret)).toBe(200)

  const { updateClient, regenerateClientSecret } = auth.auth.admin.oauth
  await updateClient(clientId, { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys } })
  await updateClient(clientId, { tokenEndpointAuthMethod: 'client_secret_basic' })
  expect(await revokeWith(clientSecret)).toBe(401)

  await updateClient(clientId, { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys } })
  // As an earlier version kept it.
  const hash = createHash('sha256')
    .update(clientSecret ?? '')
    .digest('hex')
  await auth.rows('update auth.oauth_clients set secret_hash = $2 where id = $1 returning id', [
    clientId,
    hash,
  ])
  await updateClient(clientId, { tokenEndpointAuthMethod: 'client_secret_basic' })
  expect(await revokeWith(clientSecret)).toBe(401)

  const renewed = await regenerateClientSecret(clientId)
  expect(await revokeWith(renewed.clientSecret)).toBe(200)
})
