import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type MeteredAuth, startMeteredAuth } from '../../../test/support/metered-auth.ts'
import { asOauthServer, type GivenClient, oauthOf } from '../../../test/support/oauth-clients.ts'
import type { ProtectedResource, RequiredAccess } from './protected-resource.ts'

const url = 'https://api.example.test/invoices'
const metadataUrl = 'https://api.example.test/.well-known/oauth-protected-resource/invoices'

let auth: MeteredAuth
let oauth: ReturnType<typeof oauthOf>
let client: GivenClient
let resource: ProtectedResource

beforeAll(async () => {
  auth = await startMeteredAuth({
    ...asOauthServer,
    oauthServer: {
      ...asOauthServer.oauthServer,
      clientCredentials: { enabled: true },
      scopes: { 'invoice:read': 'See your invoices', 'invoice:write': 'Change your invoices' },
    },
  })
  oauth = oauthOf(auth)
  client = await oauth.client()
  resource = auth.auth.protectedResource({
    resource: url,
    scopes: ['invoice:read', 'invoice:write'],
    name: 'Invoices',
  })
})
afterAll(() => auth.close())

const request = (token: string | null, at = url) =>
  new Request(at, token === null ? {} : { headers: { authorization: `Bearer ${token}` } })
const given = async (parameters: Record<string, string> = {}) => {
  const session = await auth.given.session()
  const scope = 'email invoice:read'
  const tokens = await oauth.tokens(client, session.accessToken, {
    scope,
    resource: url,
    ...parameters,
  })
  return { ...session, token: tokens.access_token, refreshToken: tokens.refresh_token }
}
const failure = async (token: string | null, options?: RequiredAccess) => {
  const rejection = await resource.protect(request(token), options)
  if (!(rejection instanceof Response)) throw new Error('access was given')
  const challenge = rejection.headers.get('www-authenticate')
  return { status: rejection.status, challenge, body: await rejection.json() }
}

describe('a protected resource', () => {
  it('verifies its tokens without a query', async () => {
    const { token, user } = await given()
    await resource.verify(request(token))
    const { result: access, statements } = await auth.measure(() => resource.verify(request(token)))

    expect(statements).toBe(0)
    expect(access).toMatchObject({
      userId: user.id,
      clientId: client.id,
      scopes: ['email', 'invoice:read'],
      expiresAt: expect.any(Date),
    })
    const ended = await resource.protect(request(token))
    expect(ended).not.toBeInstanceOf(Response)
  })

  it('detects the revocation of a grant with one query', async () => {
    const { token, accessToken } = await given()
    const { statements } = await auth.measure(() =>
      resource.verify(request(token), { strict: true }),
    )
    expect(statements).toBe(1)
    await auth.request('DELETE', `/user/oauth/grants?client_id=${client.id}`, {
      token: accessToken,
    })

    expect((await resource.verify(request(token))).clientId).toBe(client.id)
    expect(await failure(token, { strict: true })).toMatchObject({
      status: 401,
      challenge: expect.stringContaining('error="invalid_token"'),
    })
  })

  it('names the metadata to a request without a token, and describes itself there', async () => {
    const { status, challenge } = await failure(null)
    const document = await resource.protect(request(null, metadataUrl))

    expect([status, challenge]).toEqual([
      401,
      `Bearer scope="invoice:read invoice:write", resource_metadata="${metadataUrl}"`,
    ])
    expect(resource.metadataUrl).toBe(metadataUrl)
    expect(document).toBeInstanceOf(Response)
    expect(await (document as Response).json()).toEqual({
      resource: url,
      authorization_servers: ['https://auth.example.test'],
      bearer_methods_supported: ['header'],
      scopes_supported: ['invoice:read', 'invoice:write'],
      resource_name: 'Invoices',
    })
  })

  it('rejects tokens of users, of other resources and for several, ID tokens, and expired ones', async () => {
    const { accessToken, token } = await given()
    const other = await given({ resource: 'https://api.example.test/other' })
    const without = await oauth.tokens(client, other.accessToken, { scope: 'openid invoice:read' })
    const tokens = [accessToken, other.token, without.access_token, without.id_token ?? '', 'x.y.z']

    for (const one of tokens) {
      expect(await failure(one)).toMatchObject({
        status: 401,
        challenge: expect.stringContaining('error="invalid_token"'),
      })
    }
    auth.clock.advance(3_601)
    expect((await failure(token)).status).toBe(401)
  })

  it('S122: rejects a token that was issued without a resource, for a user with that audience', async () => {
    const operator = await auth.given.serviceToken()
    const credentials = { email: 'aud@example.test', password: 'correct horse' }
    const created = { ...credentials, email_confirm: true, aud: url }
    await auth.post('/admin/users', created, { token: operator })
    const headers = { 'x-jwt-aud': url }
    const { body } = await auth.post('/token?grant_type=password', credentials, { headers })

    const scope = 'email invoice:read'
    const { access_token: token } = await oauth.tokens(client, body.access_token, { scope })

    expect(await failure(token)).toMatchObject({ status: 401, body: { code: 'bad_jwt' } })
  })

  it('S122: is none for an audience of users', async () => {
    const jwt = { ...asOauthServer.jwt, audience: url }
    const beside = await startMeteredAuth({ ...asOauthServer, jwt })

    expect(() => beside.auth.protectedResource({ resource: url })).toThrow('audience of users')
    await beside.close()
  })

  it('requires a scope of its own, or those of the call', async () => {
    const { token } = await given()
    const foreign = await given({ scope: 'email' })

    expect(await failure(foreign.token)).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('error="insufficient_scope"'),
    })
    expect((await failure(token, { scope: 'invoice:write' })).status).toBe(403)
    expect((await failure(token, { scope: ['invoice:read', 'invoice:write'] })).status).toBe(403)
    expect(await resource.protect(request(token), { scope: 'invoice:read' })).toMatchObject({
      clientId: client.id,
    })
    await expect(resource.verify(request(token), { scope: '' })).rejects.toThrow(TypeError)
  })

  it('accepts the token of a client itself, which has no user', async () => {
    const machine = await oauth.client({ grant_types: ['client_credentials'], redirect_uris: [] })
    const { body } = await oauth.form(
      '/oauth/token',
      { grant_type: 'client_credentials', scope: 'invoice:read', resource: url },
      machine,
    )
    const access = await resource.verify(request(body.access_token), { strict: true })

    expect(access).toMatchObject({ userId: null, clientId: machine.id })
  })

  it.each([
    [{ resource: 'invoices' }, 'resource must be a URL'],
    [{ resource: `${url}?a` }, 'resource must be a URL'],
    [{ resource: url, scopes: ['unknown'] }, 'scopes must be some of'],
    [{ resource: url, scope: 'invoice:read' }, 'unknown option scope'],
  ])('is not created from %j', (options, problem) => {
    expect(() => auth.auth.protectedResource(options)).toThrow(problem)
  })

  it('rejects nothing but errors of access', () => {
    expect(() => resource.reject(new Error('fault'))).toThrow('fault')
  })
})

describe('requireUser with a scope', () => {
  it('accepts the tokens of clients that have it, and the sessions of the user', async () => {
    const { accessToken, user } = await auth.given.session()
    const { access_token: token } = await oauth.tokens(client, accessToken, {
      scope: 'email invoice:read',
    })
    const scope = 'invoice:read'
    const forms = [{ scope }, { scope: [scope] }] as const

    for (const options of forms) {
      expect((await auth.auth.requireUser(request(token), options)).user.id).toBe(user.id)
      const claimed = await auth.auth.requireUser(request(token), { ...options, strict: false })
      expect(claimed.userId).toBe(user.id)
      expect((await auth.auth.requireUser(request(accessToken), options)).user.id).toBe(user.id)
    }
  })

  it('rejects other tokens of clients, also without a query', async () => {
    const { accessToken } = await auth.given.session()
    const { access_token: token } = await oauth.tokens(client, accessToken, { scope: 'email' })
    const bound = await oauth.tokens(client, accessToken, { scope: 'invoice:read', resource: url })
    const insufficient = { code: 'insufficient_scope', status: 403 }

    for (const strict of [true, false] as const) {
      const options = { scope: 'invoice:read', strict }
      const rejected = (one: string, given = options) =>
        auth.auth.requireUser(request(one), given as { strict: true })
      await expect(rejected(token)).rejects.toMatchObject(insufficient)
      await expect(rejected(bound.access_token)).rejects.toMatchObject({ code: 'bad_jwt' })
      await expect(rejected(accessToken, { ...options, scope: '' })).rejects.toThrow(TypeError)
      await expect(auth.auth.requireUser(request(token))).rejects.toMatchObject(insufficient)
    }
  })
})
