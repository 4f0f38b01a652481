import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  asOauthServer,
  callback,
  claimsIn,
  locationOf,
  oauthOf,
} from '../../../../test/support/oauth-clients.ts'
import { startTestAuth, type TestAuth } from '../../../../test/support/test-auth.ts'
import { trustCertificate } from '../../../../test/support/trust-certificate.ts'
import {
  type ServerAnswer,
  startWebServer,
  type WebServer,
} from '../../../../test/support/web-server.ts'
import { signJws } from '../../../platform/kit/jws.ts'
import { isDocumentUrl } from './metadata-document.ts'
import { destinationIn } from './redirect-uris.ts'

const certificate = new URL('../../../../test/support/certificate/', import.meta.url)
const cert = readFileSync(new URL('localhost.pem', certificate), 'utf8')
const key = readFileSync(new URL('localhost.key.pem', certificate), 'utf8')

let auth: TestAuth
let oauth: ReturnType<typeof oauthOf>
let publisher: WebServer
let trust: Disposable
let answer: ServerAnswer
let clientId: string
let documents = 0

const asDocumentServer = (trustedHosts: string[]) => ({
  ...asOauthServer,
  oauthServer: {
    ...asOauthServer.oauthServer,
    clientIdMetadataDocuments: { enabled: true, trustedHosts },
  },
})
const publish =
  (members: Record<string, unknown> = {}, headers: Record<string, string> = {}): ServerAnswer =>
  (response) => {
    const document = { client_id: clientId, client_name: 'Notes', redirect_uris: [callback] }
    response
      .writeHead(200, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ ...document, ...members }))
  }

beforeAll(async () => {
  trust = trustCertificate(cert)
  publisher = await startWebServer((response, heard) => answer(response, heard), { key, cert })
  auth = await startTestAuth(asDocumentServer([`localhost:${publisher.port}`]))
  oauth = oauthOf(auth)
})
beforeEach(() => {
  documents += 1
  clientId = `https://localhost:${publisher.port}/clients/${documents}.json`
  answer = publish()
})
afterAll(async () => {
  await auth.close()
  await publisher.close()
  trust[Symbol.dispose]()
})

describe('a client whose id is the URL of its metadata document', () => {
  it('gets tokens, and is listed and revoked by the URL', async () => {
    const client = { id: clientId, secret: null }
    const { accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(client, accessToken)
    const grants = await auth.get('/user/oauth/grants', { token: accessToken })
    const revoked = await auth.request(
      'DELETE',
      `/user/oauth/grants?client_id=${encodeURIComponent(clientId)}`,
      { token: accessToken },
    )

    expect(claimsIn(tokens.access_token)['client_id']).toBe(clientId)
    expect(grants.body).toMatchObject([{ client: { id: clientId, name: 'Notes' } }])
    expect(revoked.status).toBe(204)
    expect((await auth.get('/oauth/userinfo', { token: tokens.access_token })).status).toBe(401)
  })

  it('is read again after the max-age of its document', async () => {
    const reads = () => publisher.heard.filter(({ path }) => clientId.endsWith(path)).length
    answer = publish({}, { 'cache-control': 'max-age=60' })
    await oauth.authorize({ id: clientId })
    await oauth.authorize({ id: clientId })
    expect(reads()).toBe(1)
    auth.clock.advance(61)
    await oauth.authorize({ id: clientId })
    expect(reads()).toBe(2)
  })

  it.each<[string, () => ServerAnswer]>([
    ['another client_id', () => publish({ client_id: `${clientId}/` })],
    ['no name', () => publish({ client_name: undefined })],
    ['no redirect URIs', () => publish({ redirect_uris: [] })],
    ['a secret', () => publish({ client_secret: 's' })],
    [
      'a shared secret as method',
      () => publish({ token_endpoint_auth_method: 'client_secret_post' }),
    ],
    ['another content type', () => publish({}, { 'content-type': 'text/html' })],
    ['JSON as a parameter', () => publish({}, { 'content-type': 'text/html; x=json' })],
    ['JSON as a part', () => publish({}, { 'content-type': 'application/json-seq' })],
    ['a redirect', () => (response) => response.writeHead(302, { location: '/other' }).end()],
    ['an error', () => (response) => response.writeHead(404).end()],
    [
      'more than 1 MiB',
      () => publish({ client_name: 'Notes', padding: 'x'.repeat(1024 * 1024 + 1) }),
    ],
  ])('is rejected without a redirect for a document with %s', async (_, given) => {
    answer = given()
    const response = await oauth.authorize({ id: clientId })

    expect([response.status, response.body.error_code]).toEqual([400, 'oauth_client_not_found'])
    expect(response.headers.get('location')).toBeNull()
  })

  it.each<[string, () => ServerAnswer]>([
    ['404', () => (response) => response.writeHead(404).end()],
    ['503', () => (response) => response.writeHead(503).end()],
    ['another client_id', () => publish({ client_id: `${clientId}/` })],
  ])('is requested once in five seconds while its document is %s', async (_, given) => {
    const reads = () => publisher.heard.filter(({ path }) => clientId.endsWith(path)).length
    answer = given()
    for (let count = 0; count < 5; count += 1) {
      expect((await oauth.authorize({ id: clientId })).status).toBe(400)
    }
    expect(reads()).toBe(1)
    answer = publish()
    auth.clock.advance(301)
    expect((await oauth.authorize({ id: clientId })).status).toBe(302)
  })

  it('is read again five seconds after its document was unavailable', async () => {
    answer = (response) => response.writeHead(503).end()
    expect((await oauth.authorize({ id: clientId })).status).toBe(400)
    answer = publish()
    expect((await oauth.authorize({ id: clientId })).status).toBe(400)
    auth.clock.advance(6)
    expect((await oauth.authorize({ id: clientId })).status).toBe(302)
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/client+json'])(
    'is accepted for a document with the media type %s',
    async (type) => {
      answer = publish({}, { 'content-type': type })
      expect((await oauth.authorize({ id: clientId })).status).toBe(302)
    },
  )

  it('is rejected at a private address that the configuration does not list', async () => {
    const strict = await startTestAuth(asDocumentServer([]))
    const { authorize } = oauthOf(strict)
    const before = publisher.heard.length

    expect((await authorize({ id: clientId })).status).toBe(400)
    expect((await authorize({ id: 'https://169.254.169.254/latest' })).status).toBe(400)
    expect(publisher.heard).toHaveLength(before)
    await strict.close()
  })

  it('is stored as its document describes it, also where the document changes', async () => {
    const described = {
      redirect_uris: ['https://new.example.test/cb'],
      grant_types: ['authorization_code'],
      client_name: 'New notes',
      client_uri: 'https://new.example.test',
      logo_uri: 'https://new.example.test/logo.png',
      jwks_uri: 'https://new.example.test/keys',
      post_logout_redirect_uris: ['https://new.example.test/bye'],
    }
    const client = { id: clientId, secret: null }
    await oauth.begin(client)
    answer = publish({ ...described, token_endpoint_auth_method: 'private_key_jwt' })
    auth.clock.advance(301)
    await oauth.begin(client, { redirect_uri: 'https://new.example.test/cb' })

    const [row] = await auth.rows('select * from auth.oauth_clients where id = $1', [clientId])
    expect(row).toMatchObject({
      ...described,
      client_type: 'confidential',
      auth_method: 'private_key_jwt',
    })
  })

  it('S121: may request only the scopes that an operator permits it', async () => {
    clientId = `${clientId}?name=a%20b`
    answer = publish()
    const client = { id: clientId, secret: null }
    await oauth.tokens(client, (await auth.given.session()).accessToken, { scope: 'email' })
    const token = await auth.given.serviceToken()
    const path = `/admin/oauth/clients/${encodeURIComponent(client.id)}`
    const changed = await auth.put(path, { allowed_scopes: ['email'] }, { token })
    expect([changed.status, changed.body.client_id]).toEqual([200, client.id])
    const errorOf = async (scope: string) =>
      locationOf(await oauth.authorize(client, { scope })).searchParams.get('error')

    expect(await errorOf('email')).toBeNull()
    expect(await errorOf('email phone')).toBe('invalid_scope')
  })

  it('S148: is not changed by an operator beyond what the document does not contain', async () => {
    clientId = `${clientId}?name=kept`
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const key = { ...publicKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: 'one' }
    answer = publish({ token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key] } })
    await oauth.begin({ id: clientId, secret: null })
    const token = await auth.given.serviceToken()
    const path = `/admin/oauth/clients/${encodeURIComponent(clientId)}`
    auth.clock.advance(1)

    const version = async () => {
      const [row] = await auth.rows('select updated_at from auth.oauth_clients where id = $1', [
        clientId,
      ])
      return new Date(row?.['updated_at'] as string).getTime()
    }
    const before = await version()
    auth.clock.advance(60)
    const rejected = await auth.put(
      path,
      { redirect_uris: ['https://b.example.test/cb'] },
      { token },
    )
    const accepted = await auth.put(path, { allowed_scopes: ['email'] }, { token })
    const again = await oauth.authorize({ id: clientId })

    expect([rejected.status, rejected.body.msg]).toEqual([
      400,
      'redirect_uris: is determined by the metadata document of the client',
    ])
    expect([accepted.status, again.status]).toEqual([200, 302])
    // It is also the time at which the document was read.
    expect((await version()) - before).toBeLessThan(1000)
  })

  it('S121: stays, once an operator has changed it, although no one has used it', async () => {
    clientId = `${clientId}?name=unused`
    answer = publish()
    await oauth.begin({ id: clientId, secret: null })
    const token = await auth.given.serviceToken()
    const path = `/admin/oauth/clients/${encodeURIComponent(clientId)}`

    await auth.put(path, { allowed_scopes: ['email'] }, { token })

    expect(
      await auth.rows('select expires_at from auth.oauth_clients where id = $1', [clientId]),
    ).toEqual([{ expires_at: null }])
  })

  it('S142: is limited per network while it is unknown', async () => {
    const limited = await auth.beside({
      ...asDocumentServer([`localhost:${publisher.port}`]),
      rateLimits: { tokenRefresh: 'off', oauthDynamicClientRegister: 10 },
    })
    const request = (id: string, ip = '198.51.100.1') =>
      limited.request(
        'GET',
        `/oauth/authorize?${new URLSearchParams({ client_id: id, redirect_uri: callback })}`,
        { ip },
      )
    await oauth.begin({ id: clientId, secret: null })
    answer = (response) => response.writeHead(404).end()
    const before = publisher.heard.length
    for (let n = 0; n < 30; n += 1) await request(`${clientId}?unknown=${n}`)
    const rejected = await request(`${clientId}?unknown=30`)
    const requests = publisher.heard.length - before
    answer = publish()
    const stored = await request(clientId)
    const ofOther = await request(`${clientId}?unknown=31`, '192.0.2.1')
    await limited.close()

    expect([rejected.status, rejected.body.error_code]).toEqual([429, 'over_request_rate_limit'])
    expect(rejected.headers.get('retry-after')).toBe('30')
    expect([requests, stored.status, ofOther.status]).toEqual([30, 302, 400])
  })

  it('has the name of its document, whatever an operator submits', async () => {
    await oauth.begin({ id: clientId, secret: null })
    const token = await auth.given.serviceToken()
    const path = `/admin/oauth/clients/${encodeURIComponent(clientId)}`

    const { status, body } = await auth.put(path, { client_name: clientId }, { token })

    expect([status, body.msg]).toEqual([
      400,
      'client_name: is determined by the metadata document of the client',
    ])
  })

  it('has no name where an operator submits its id, as the wire form of one without', async () => {
    const { id } = await oauth.client()
    const token = await auth.given.serviceToken()
    const path = `/admin/oauth/clients/${id}`

    const { status, body } = await auth.put(path, { client_name: id }, { token })

    expect([status, body.client_name]).toEqual([200, id])
    expect(
      await auth.rows('select client_name from auth.oauth_clients where id = $1', [id]),
    ).toEqual([{ client_name: null }])
  })

  it('may push its request before any browser came', async () => {
    const answered = await oauth.form(
      '/oauth/par',
      {
        redirect_uri: callback,
        response_type: 'code',
        code_challenge: 'a'.repeat(43),
        code_challenge_method: 'S256',
      },
      { id: clientId, secret: null },
    )

    expect(answered.status).toBe(201)
  })

  it('is no longer accepted while the setting is disabled, nor are its tokens renewed', async () => {
    const client = { id: clientId, secret: null }
    const { accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(client, accessToken)
    const without = await auth.beside({ oauthServer: asOauthServer.oauthServer })
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const fields = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    const body = new URLSearchParams({ ...fields, client_id: clientId }).toString()
    const refreshed = await without.request('POST', '/oauth/token', { headers, body })
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: callback })
    const authorized = await without.request('GET', `/oauth/authorize?${query}`)

    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_client'])
    expect(authorized.status).toBe(400)
    expect((await oauth.refresh(client, tokens.refresh_token)).status).toBe(200)
    await without.close()
  })

  it('sends the browser only to a redirect URI of its document', async () => {
    const other = await oauth.authorize({ id: clientId }, { redirect_uri: 'https://evil.test/cb' })
    const right = await oauth.authorize({ id: clientId })

    expect(other.status).toBe(400)
    expect(locationOf(right).searchParams.get('authorization_id')).not.toBeNull()
  })
})

describe('a stored client of a metadata document that authenticates', () => {
  const seconds = () => Math.floor(auth.clock.now().getTime() / 1000)
  const keyPair = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return {
      key: { algorithm: 'ES256' as const, key: privateKey },
      jwk: publicKey.export({ format: 'jwk' }),
    }
  }
  type Pair = ReturnType<typeof keyPair>
  const withKey = ({ jwk }: Pair): ServerAnswer =>
    publish(
      { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [jwk] } },
      { 'cache-control': 'max-age=60' },
    )
  const status =
    (code: number): ServerAnswer =>
    (response) =>
      response.writeHead(code).end()
  const reads = () => publisher.heard.filter(({ path }) => clientId.endsWith(path)).length

  /** Authenticates by a key, and returns the error, or that of the code that does not exist. */
  const authenticate = async ({ key }: Pair, path = '/oauth/token') => {
    const client_assertion = await signJws(
      key,
      {},
      {
        iss: clientId,
        sub: clientId,
        aud: 'https://auth.example.test',
        exp: seconds() + 60,
        jti: randomUUID(),
      },
    )
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const grant = { grant_type: 'refresh_token', refresh_token: 'x', token: 'x' }
    const sent = await oauth.form(path, { client_assertion, client_assertion_type, ...grant })
    return sent.body.error ?? sent.status
  }

  it('is read again after the max-age: a new key is valid, and a removed one is not', async () => {
    const [first, second] = [keyPair(), keyPair()]
    answer = withKey(first)
    expect(await authenticate(first)).toBe('invalid_grant')
    answer = withKey(second)
    auth.clock.advance(61)

    for (const path of ['/oauth/introspect', '/oauth/revoke', '/oauth/token']) {
      expect([path, await authenticate(first, path)]).toEqual([path, 'invalid_client'])
    }
    expect(await authenticate(second, '/oauth/introspect')).toBe(200)
    expect(await authenticate(second)).toBe('invalid_grant')
    expect(reads()).toBe(2)
  })

  it('is read once more before the max-age for a key that is not known, at most each five seconds', async () => {
    const [first, second, unknown] = [keyPair(), keyPair(), keyPair()]
    answer = withKey(first)
    await authenticate(first)
    answer = withKey(second)

    expect(await authenticate(second)).toBe('invalid_client')
    expect(reads()).toBe(1)
    auth.clock.advance(6)
    expect(await authenticate(second)).toBe('invalid_grant')
    expect(await authenticate(first)).toBe('invalid_client')
    for (let count = 0; count < 5; count += 1) await authenticate(unknown)
    expect(reads()).toBe(2)
  })

  it('may publish its keys, which an authentication requests once while they are unavailable', async () => {
    const pair = keyPair()
    const keysUrl = `${clientId}.keys`
    const members = { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: keysUrl }
    let keys: ServerAnswer = (response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ keys: [pair.jwk] }))
    }
    answer = (response, heard) =>
      (heard.path.endsWith('.keys') ? keys : publish(members))(response, heard)
    const reads = () => publisher.heard.filter(({ path }) => keysUrl.endsWith(path)).length
    expect(await authenticate(pair)).toBe('invalid_grant')
    expect(await authenticate(pair)).toBe('invalid_grant')
    expect(reads()).toBe(1)
    keys = status(503)
    auth.clock.advance(301)

    for (let count = 0; count < 5; count += 1) {
      expect(await authenticate(pair)).toBe('invalid_client')
    }
    expect(reads()).toBe(2)
    auth.clock.advance(6)
    await authenticate(pair)
    expect(reads()).toBe(3)
  })

  it.each<[string, () => ServerAnswer]>([
    ['404', () => status(404)],
    ['410', () => status(410)],
    [
      'no JSON',
      () => (response) => response.setHeader('content-type', 'application/json').end('{'),
    ],
    ['another client_id', () => publish({ client_id: 'https://other.example/' })],
  ])('no longer authenticates once its document is %s', async (_, given) => {
    const pair = keyPair()
    answer = withKey(pair)
    await authenticate(pair)
    answer = given()
    auth.clock.advance(61)

    expect(await authenticate(pair)).toBe('invalid_client')
    expect(await authenticate(pair)).toBe('invalid_client')
    expect(reads()).toBe(2)
    answer = withKey(pair)
    auth.clock.advance(301)
    expect(await authenticate(pair)).toBe('invalid_grant')
  })

  it('without a secret no longer gets tokens once its document is withdrawn', async () => {
    const client = { id: clientId, secret: null }
    const { accessToken } = await auth.given.session()
    const tokens = await oauth.tokens(client, accessToken)
    answer = status(404)
    auth.clock.advance(301)

    const refreshed = await oauth.refresh(client, tokens.refresh_token)
    expect(refreshed.body.error).toBe('invalid_client')
  })

  it('continues for a day while its document is unavailable, with one request in 30 seconds', async () => {
    const pair = keyPair()
    answer = withKey(pair)
    await authenticate(pair)
    for (const given of [status(503), ((response) => response.destroy()) as ServerAnswer]) {
      answer = given
      auth.clock.advance(61)
      const before = reads()
      for (let count = 0; count < 5; count += 1) {
        expect(await authenticate(pair)).toBe('invalid_grant')
      }
      // A connection that is closed is opened once more.
      expect(reads() - before).toBeLessThanOrEqual(2)
    }
    auth.clock.advance(24 * 60 * 60)

    expect(await authenticate(pair)).toBe('invalid_client')
  })
})

describe('S113: a consent to a client that can change where its codes go', () => {
  const other = 'https://other.example.test/cb'
  /** Requests access at a redirect URI, and returns the response to the user. */
  const open = async (token: string, redirect_uri: string, parameters = {}, id = clientId) =>
    oauth.open(await oauth.begin({ id, secret: null }, { redirect_uri, ...parameters }), token)
  const approve = async (token: string, redirect_uri: string, id = clientId, parameters = {}) => {
    const request = await oauth.begin({ id, secret: null }, { redirect_uri, ...parameters })
    await oauth.open(request, token)
    expect((await oauth.decide(request, token)).status).toBe(200)
  }
  const isRepeated = async (...given: Parameters<typeof open>): Promise<boolean> =>
    (await open(...given)).body.redirect_url !== undefined

  it('is not repeated for a host that its document names later, until the user approves it', async () => {
    const { accessToken } = await auth.given.session()
    await approve(accessToken, callback)
    answer = publish({ redirect_uris: [callback, other] })
    auth.clock.advance(301)

    expect(await isRepeated(accessToken, callback)).toBe(true)
    const shown = await open(accessToken, other)
    expect(shown.body.client.name).toBe('Notes')
    expect(shown.body.redirect_url).toBeUndefined()
    const silent = await open(accessToken, other, { prompt: 'none' })
    expect(silent.body.redirect_url).toContain('error=consent_required')

    await approve(accessToken, other)
    expect(await isRepeated(accessToken, other)).toBe(true)
    expect(await isRepeated(accessToken, callback)).toBe(true)
  })

  it('is not repeated for a host with more scopes than the user approved for it', async () => {
    const { accessToken } = await auth.given.session()
    answer = publish({ redirect_uris: [callback, other] })
    await approve(accessToken, callback, clientId, { scope: 'email' })
    await approve(accessToken, other, clientId, { scope: 'email phone' })

    expect(await isRepeated(accessToken, other, { scope: 'email phone' })).toBe(true)
    expect(await isRepeated(accessToken, callback, { scope: 'email phone' })).toBe(false)
    expect(await isRepeated(accessToken, callback, { scope: 'email' })).toBe(false)
    await approve(accessToken, callback, clientId, { scope: 'email' })
    expect(await isRepeated(accessToken, callback, { scope: 'email' })).toBe(true)
    expect(await isRepeated(accessToken, other, { scope: 'email' })).toBe(true)
  })

  it('is not repeated for the second host of a client that registered itself', async () => {
    const { accessToken } = await auth.given.session()
    const { body } = await auth.post('/oauth/clients/register', {
      redirect_uris: [callback, other],
    })
    await approve(accessToken, callback, body.client_id)

    expect(await isRepeated(accessToken, callback, {}, body.client_id)).toBe(true)
    expect(await isRepeated(accessToken, other, {}, body.client_id)).toBe(false)
  })

  it('ends with the redirect URI: a request or code from before its removal is rejected', async () => {
    const { accessToken } = await auth.given.session()
    const client = { id: clientId, secret: null }
    answer = publish({ redirect_uris: [callback, other] })
    const code = await oauth.code(client, accessToken, { redirect_uri: other })
    const request = await oauth.begin(client, { redirect_uri: other })
    answer = publish()
    auth.clock.advance(301)
    const exchanged = await oauth.exchange(client, code, { redirect_uri: other })
    const opened = await oauth.open(request, accessToken)

    expect([exchanged.status, exchanged.body.error]).toEqual([400, 'invalid_grant'])
    expect([opened.status, opened.body.error_code]).toEqual([400, 'validation_failed'])
  })

  it('is repeated for every redirect URI that an operator registered', async () => {
    const { accessToken } = await auth.given.session()
    const { id } = await oauth.client({ redirect_uris: [callback, other, 'com.notes.app:/cb'] })
    await approve(accessToken, callback, id)

    expect(await isRepeated(accessToken, other, {}, id)).toBe(true)
    expect(await isRepeated(accessToken, 'com.notes.app:/cb', {}, id)).toBe(true)
  })

  it('that was stored without destinations is repeated for registered clients only', async () => {
    const { accessToken } = await auth.given.session()
    const { body } = await auth.post('/oauth/clients/register', { redirect_uris: [callback] })
    await approve(accessToken, callback)
    await approve(accessToken, callback, body.client_id)
    await auth.rows('update auth.oauth_consents set destinations = null')

    expect(await isRepeated(accessToken, callback, {}, body.client_id)).toBe(true)
    expect(await isRepeated(accessToken, callback)).toBe(false)
    await approve(accessToken, callback)
    expect(await isRepeated(accessToken, callback)).toBe(true)
  })

  it.each([
    ['https://a.example/cb', 'https://a.example'],
    ['https://a.example:8443?x', 'https://a.example:8443'],
    ['http://127.0.0.1:5000/cb', 'http://127.0.0.1'],
    ['http://[::1]:5000/cb', 'http://[::1]'],
    ['http://[::1]/cb', 'http://[::1]'],
    ['com.notes.app:/cb:1', 'com.notes.app:'],
    ['com.notes.app://cb/x', 'com.notes.app://cb'],
  ])('stores the destination of %s as %s', async (uri, destination) => {
    const { accessToken, user } = await auth.given.session()
    const { id } = await oauth.client({ redirect_uris: [uri] })
    await approve(accessToken, uri, id)

    expect(destinationIn(uri)).toBe(destination)
    expect(
      await auth.rows('select destinations from auth.oauth_consents where user_id = $1', [user.id]),
    ).toEqual([{ destinations: [destination] }])
  })
})

describe('the URL of a metadata document', () => {
  it.each([
    ['https://client.example/a.json', true],
    ['https://client.example/a?b', true],
    ['https://client.example', false],
    ['https://client.example/', false],
    ['http://client.example/a', false],
    ['https://client.example/a#b', false],
    ['https://user@client.example/a', false],
    ['https://client.example/../a', false],
    ['https://client.example/a/./b', false],
    ['https://client.example/%2e%2E/a', false],
  ])('%s is accepted: %s', (url, isAccepted) => {
    expect(isDocumentUrl(url)).toBe(isAccepted)
  })
})
