import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openBrowser, redirectOf } from '../../../test/support/fake-realm.ts'
import { linking, newPerson } from '../../../test/support/linking.ts'
import {
  discoveryPath,
  issuerKey,
  keysPath,
  type OpenIdIssuer,
  signAs,
  startOpenIdIssuer,
} from '../../../test/support/openid-issuer.ts'
import { freePort } from '../../../test/support/server-process.ts'
import { openClient } from '../../../test/support/supabase-client.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { oidc } from '../../credentials/external/oidc.ts'
import { toNode } from '../../hosts/adapters/node.ts'
import type { FetchOptions } from '../../platform/kit/safe-fetch.ts'
import { safeFetch } from '../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../platform/observability/logger.ts'

/** A public address, which the fetch of the test replaces by the issuer on this machine. */
const issuer = 'https://93.184.216.34'
const key = issuerKey('ES256', 'k1')

let server: OpenIdIssuer
let auth: TestAuth
let token: string
let requests: { url: string; options: FetchOptions }[]
let isReachable = true
let count = 0

beforeAll(async () => {
  server = await startOpenIdIssuer([key])
  auth = await startTestAuth(
    {
      externalUrl: 'https://auth.example.test/auth',
      security: { manualLinkingEnabled: true },
      // Mails wait for a server that is down.
      email: {
        autoconfirm: true,
        from: 'no-reply@example.test',
        smtp: { host: '127.0.0.1', port: await freePort() },
        notifications: { identityLinked: true, identityUnlinked: true },
      },
      providers: {
        configured: oidc({ issuer: 'https://id.example.test', clientId: 'app', clientSecret: 's' }),
      },
    },
    {
      fetch: async (url, options) => {
        requests.push({ url, options })
        if (!isReachable || !url.startsWith(issuer)) throw new Error('unreachable')
        return safeFetch(url.replace(issuer, server.issuer), { ...options, trust: 'operator' })
      },
    },
  )
})
afterAll(async () => {
  await auth.close()
  await server.close()
})
beforeEach(async () => {
  token = await auth.given.serviceToken()
  requests = []
  isReachable = true
  count += 1
  server.documents[discoveryPath] = discovery()
})

const discovery = (changes: object = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  userinfo_endpoint: `${issuer}/userinfo`,
  jwks_uri: `${issuer}${keysPath}`,
  id_token_signing_alg_values_supported: ['ES256'],
  ...changes,
})

const oauth2Provider = (changes: object = {}) => ({
  provider_type: 'oauth2',
  identifier: `custom:club-${count}`,
  name: 'Club',
  client_id: 'club-client',
  client_secret: 'club-secret',
  scopes: ['profile', 'email'],
  authorization_url: `${issuer}/authorize`,
  token_url: `${issuer}/token`,
  userinfo_url: `${issuer}/me`,
  ...changes,
})

const oidcProvider = (changes: object = {}) => ({
  provider_type: 'oidc',
  identifier: `custom:acme-${count}`,
  name: 'Acme',
  client_id: 'acme-client',
  client_secret: 'acme-secret',
  scopes: ['email'],
  issuer,
  ...changes,
})

const path = '/admin/custom-providers'
const create = (provider: object) => auth.post(path, provider, { token })
const change = (identifier: string, changes: object) =>
  auth.put(`${path}/${identifier}`, changes, { token })

async function created(provider: object) {
  const answer = await create(provider)
  if (answer.status !== 201) throw new Error(answer.text)
  return answer.body
}

const seconds = () => Math.floor(auth.clock.now().getTime() / 1000)

/** The query of the next authorization request, and the browser that sent it. */
async function authorize(identifier: string, query: Record<string, string> = {}) {
  const browser = openBrowser(auth)
  const { answer, state } = await browser.authorize({ provider: identifier, ...query })
  const location = answer.headers.get('location')
  return { browser, state, answer, url: location === null ? null : new URL(location) }
}

/** Signs in at an OAuth 2.0 provider that returns this profile. */
async function signIn(identifier: string, profile: object) {
  server.documents['/token'] = { access_token: 'at', token_type: 'Bearer' }
  server.documents['/me'] = profile
  const { browser, state } = await authorize(identifier)
  return browser.sendCallback({ state, code: 'a-code' })
}

/** Signs in at an OpenID Connect provider that returns these claims. */
async function signInByIdToken(identifier: string, claims: object) {
  const { browser, state, url } = await authorize(identifier)
  const idToken = signAs(key, {
    iss: issuer,
    aud: 'acme-client',
    iat: seconds(),
    exp: seconds() + 600,
    nonce: url?.searchParams.get('nonce'),
    ...claims,
  })
  server.documents['/token'] = { access_token: 'at', token_type: 'Bearer', id_token: idToken }
  return browser.sendCallback({ state, code: 'a-code' })
}

describe('the unmodified client', () => {
  it('creates, lists, reads, changes and deletes providers', async () => {
    const http = createServer(toNode(auth.auth))
    await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
    const address = http.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const { admin } = openClient(`http://127.0.0.1:${port}`, { token })
    const { customProviders } = admin
    const identifier = `custom:client-${count}`

    const made = await customProviders.createProvider({
      provider_type: 'oauth2',
      identifier,
      name: 'Club',
      client_id: 'club-client',
      client_secret: 'club-secret',
      authorization_url: `${issuer}/authorize`,
      token_url: `${issuer}/token`,
      userinfo_url: `${issuer}/me`,
    })
    const read = await customProviders.getProvider(identifier)
    const listed = await customProviders.listProviders({ type: 'oauth2' })
    const others = await customProviders.listProviders({ type: 'oidc' })
    const changed = await customProviders.updateProvider(identifier, { enabled: false })
    const deleted = await customProviders.deleteProvider(identifier)
    const after = await customProviders.getProvider(identifier)
    http.close()

    expect(made.error).toBeNull()
    expect(read.data).toEqual(made.data)
    expect(listed.data.providers.map((one) => one.identifier)).toContain(identifier)
    expect(others.data.providers.map((one) => one.identifier)).not.toContain(identifier)
    expect(changed.data).toMatchObject({ identifier, enabled: false, name: 'Club' })
    expect(deleted.error).toBeNull()
    expect(after.error).toMatchObject({ status: 404, code: 'custom_provider_not_found' })
  })
})

describe('sign-in through a registered OAuth 2.0 provider', () => {
  it('creates a user whose identity has the identifier as its provider', async () => {
    const { identifier } = await created(oauth2Provider())
    const email = `ada${count}@example.test`

    const end = await signIn(identifier, { id: 'ada-1', email, email_verified: true, name: 'Ada' })
    const { body } = await auth.get('/user', { token: end.fragment['access_token'] ?? '' })

    expect(body).toMatchObject({ email, app_metadata: { provider: identifier } })
    expect(body.identities).toMatchObject([{ provider: identifier, id: 'ada-1' }])
    const exchange = requests.find(({ url }) => url === `${issuer}/token`)
    const { authorization } = { ...exchange?.options.headers }
    expect(authorization).toBe(`Basic ${Buffer.from('club-client:club-secret').toString('base64')}`)
  })

  it('sends requests to public hosts only', async () => {
    const { identifier } = await created(oauth2Provider())

    await signIn(identifier, { id: 'ada-2', email: `b${count}@example.test` })

    expect(requests.map(({ url }) => url)).toEqual([`${issuer}/token`, `${issuer}/me`])
    for (const { options } of requests) {
      expect(options.trust).toBe('outside')
      expect(options.timeoutMs).toBeLessThanOrEqual(5_000)
      expect(options.maxBytes).toBeLessThanOrEqual(1024 * 1024)
    }
  })

  it('uses its parameters, a code verifier where it is enabled, and the scopes of the request', async () => {
    const { identifier } = await created(
      oauth2Provider({ authorization_params: { access_type: 'offline' } }),
    )
    const first = await authorize(identifier, { access_type: 'online' })
    const own = await authorize(identifier, { scopes: 'team all' })
    await change(identifier, { pkce_enabled: false })
    const plain = await authorize(identifier)

    expect(Object.fromEntries(first.url?.searchParams ?? [])).toMatchObject({
      client_id: 'club-client',
      scope: 'profile email',
      redirect_uri: 'https://auth.example.test/auth/callback',
      access_type: 'offline',
      code_challenge_method: 'S256',
    })
    expect(own.url?.searchParams.get('scope')).toBe('team all')
    expect(plain.url?.searchParams.has('code_challenge')).toBe(false)
  })

  it('maps claims, and stores the allowed ones of the provider', async () => {
    const { identifier } = await created(
      oauth2Provider({
        attribute_mapping: { sub: 'uid', full_name: 'display', team: { name: 'x' }, email: 'mail' },
        custom_claims_allowlist: ['groups', 'absent'],
      }),
    )
    const mail = `mapped${count}@example.test`

    const end = await signIn(identifier, {
      id: 'no',
      uid: 'u-1',
      display: 'Ada L.',
      mail,
      email_verified: true,
      groups: ['a', 'b'],
      secret: 'hidden',
    })
    const { body } = await auth.get('/user', { token: end.fragment['access_token'] ?? '' })

    expect(body.email).toBe(mail)
    expect(body.identities[0]).toMatchObject({
      id: 'u-1',
      identity_data: {
        sub: 'u-1',
        full_name: 'Ada L.',
        team: { name: 'x' },
        custom_claims: { groups: ['a', 'b'] },
      },
    })
    expect(JSON.stringify(body)).not.toContain('hidden')
  })

  it('does not verify a mapped address by the verification of another', async () => {
    const victim = await auth.given.user()
    const { identifier } = await created(oauth2Provider({ attribute_mapping: { email: 'mail' } }))

    const end = await signIn(identifier, {
      id: 'evil',
      mail: victim.email,
      email: 'own@example.test',
      email_verified: true,
    })

    expect(end.fragment['access_token']).toBeUndefined()
    const rows = await auth.rows(
      'select * from auth.identities where user_id = $1 and provider = $2',
      [victim.id, identifier],
    )
    expect(rows).toEqual([])
  })

  it('rejects a disabled and a deleted provider at once, also in another process', async () => {
    const { identifier } = await created(oauth2Provider())
    const other = await auth.beside()
    const askOther = () => other.request('GET', `/authorize?provider=${identifier}`)
    expect((await askOther()).status).toBe(302)

    await change(identifier, { enabled: false })
    const disabled = await askOther()
    await change(identifier, { enabled: true })
    const enabled = await askOther()
    await auth.request('DELETE', `${path}/${identifier}`, { token })
    const deleted = await askOther()
    await other.close()

    expect([disabled, enabled, deleted].map(({ status }) => status)).toEqual([400, 302, 400])
    expect(disabled.body.error_code).toBe('validation_failed')
  })

  it('rejects an accountless profile without an address unless that is optional', async () => {
    const { identifier } = await created(oauth2Provider())
    const rejected = await signIn(identifier, { id: 'no-mail' })
    await change(identifier, { email_optional: true })
    const accepted = await signIn(identifier, { id: 'no-mail' })

    expect(rejected.query['error']).toBe('server_error')
    expect(accepted.fragment['access_token']).toBeDefined()
  })

  it('is redirected to the URL of the setting', async () => {
    const { identifier } = await created(oauth2Provider())
    const other = await auth.beside({ customOauth: { externalUrl: 'https://login.example.test/' } })
    const { headers } = await other.request('GET', `/authorize?provider=${identifier}`)
    await other.close()

    expect(new URL(headers.get('location') ?? '').searchParams.get('redirect_uri')).toBe(
      'https://login.example.test/callback',
    )
  })

  it.each([
    ['is named in the log where it shares its callback without announcing iss', false, 1],
    ['is not named where it has a callback of its own', true, 0],
  ])('S152: %s', async (_case, ownCallbacks, count) => {
    const warned: string[] = []
    const on = await auth.beside({
      customOauth: { ownCallbacks },
      logger: { ...silentLogger, warn: (_fields, message) => void warned.push(message) },
    })
    const input = oauth2Provider({ identifier: `custom:warned-${count}` })
    const { status } = await on.request('POST', path, { body: input, token })
    await on.close()

    expect(status).toBe(201)
    expect(warned.filter((message) => message.includes('shares its callback'))).toHaveLength(count)
  })

  it('S152: has a callback of its own where the setting requires it', async () => {
    const { identifier } = await created(oauth2Provider())
    const { identifier: second } = await created(oauth2Provider({ identifier: 'custom:second' }))
    const on = await auth.beside({ customOauth: { ownCallbacks: true } })
    const callbackAt = async (path: string) => {
      const browser = openBrowser(on)
      const { answer, state } = await browser.authorize({ provider: identifier })
      const requested = new URL(answer.headers.get('location') ?? '').searchParams
      const query = new URLSearchParams({ state, code: 'unknown' })
      const { query: found } = redirectOf(await browser.get(`${path}?${query}`))
      return [requested.get('redirect_uri'), found['error_code']]
    }
    const redirectUri = `https://auth.example.test/auth/callback/${identifier}`

    expect(await callbackAt('/callback')).toEqual([redirectUri, 'bad_oauth_callback'])
    expect(await callbackAt(`/callback/${second}`)).toEqual([redirectUri, 'bad_oauth_callback'])
    const [, own] = await callbackAt(`/callback/${identifier}`)
    expect(own).not.toBe('bad_oauth_callback')
    await on.close()
  })
})

describe('sign-in through a registered OpenID Connect provider', () => {
  it('verifies the ID token with the keys of the issuer', async () => {
    const { identifier, discovery_document: document, scopes } = await created(oidcProvider())
    const email = `oidc${count}@example.test`

    const { url } = await authorize(identifier)
    const end = await signInByIdToken(identifier, { sub: 's-1', email, email_verified: true })
    const { body } = await auth.get('/user', { token: end.fragment['access_token'] ?? '' })

    expect(document).toMatchObject({ issuer, jwks_uri: `${issuer}${keysPath}` })
    expect(scopes).toEqual(['openid', 'email'])
    expect(url?.searchParams.get('scope')).toBe('openid email')
    expect(body).toMatchObject({ email, identities: [{ provider: identifier, id: 's-1' }] })
  })

  it.each([
    ['another key', {}, 'ES256'],
    ['another audience', { aud: 'other' }, null],
    ['another issuer', { iss: 'https://other.example.test' }, null],
    ['another nonce', { nonce: 'other' }, null],
  ])('rejects a token of %s', async (_, claims, alg) => {
    const { identifier } = await created(oidcProvider())
    const { browser, state, url } = await authorize(identifier)
    const idToken = signAs(alg === null ? key : issuerKey(alg, 'k1'), {
      iss: issuer,
      aud: 'acme-client',
      sub: 's-2',
      email: `x${count}@example.test`,
      email_verified: true,
      iat: seconds(),
      exp: seconds() + 600,
      nonce: url?.searchParams.get('nonce'),
      ...claims,
    })
    server.documents['/token'] = { access_token: 'at', token_type: 'Bearer', id_token: idToken }

    const end = await browser.sendCallback({ state, code: 'a-code' })

    expect(end.fragment['access_token']).toBeUndefined()
    expect(end.query['error']).toBe('server_error')
  })

  it('uses the checked document while the issuer does not respond', async () => {
    server.documents['/other/discovery'] = discovery()
    const { identifier } = await created(
      oidcProvider({ discovery_url: `${issuer}/other/discovery` }),
    )
    isReachable = false

    const { answer } = await authorize(identifier)

    expect(answer.status).toBe(302)
  })

  it('accepts ID tokens that the client obtained, for each accepted audience', async () => {
    const { identifier } = await created(oidcProvider({ acceptable_client_ids: ['ios-app'] }))
    const sign = (aud: string, sub: string) =>
      signAs(key, {
        iss: issuer,
        aud,
        sub,
        email: `${sub}-${count}@example.test`,
        email_verified: true,
        iat: seconds(),
        exp: seconds() + 600,
        nonce: createHash('sha256').update('n').digest('hex'),
      })
    const send = (provider: string, aud: string) =>
      auth.post('/token?grant_type=id_token', {
        provider,
        id_token: sign(aud, `sub-${aud}`),
        nonce: 'n',
      })
    const accepted = [await send(identifier, 'acme-client'), await send(identifier, 'ios-app')]
    const foreign = await send(identifier, 'evil-app')
    const { identifier: oauth2 } = await created(oauth2Provider())
    const ofOauth2 = await send(oauth2, 'club-client')
    await change(identifier, { enabled: false })
    const disabled = await send(identifier, 'acme-client')

    expect(accepted.map(({ status }) => status)).toEqual([200, 200])
    expect(foreign.status).toBe(400)
    expect([ofOauth2.status, ofOauth2.body.error_code]).toEqual([400, 'validation_failed'])
    expect([disabled.status, disabled.body.error_code]).toEqual([400, 'provider_disabled'])
  })
})

describe('the registration of an OpenID Connect provider', () => {
  it.each([
    ['is unavailable', null],
    ['is of another issuer', { issuer: 'https://other.example.test' }],
    ['lacks an endpoint', { token_endpoint: undefined }],
    ['names a private token endpoint', { token_endpoint: 'https://10.0.0.1/token' }],
    ['names keys over http', { jwks_uri: 'http://93.184.216.34/keys' }],
    ['is too large', { padding: 'x'.repeat(70_000) }],
    ['contains NUL', { padding: 'a\0b' }],
    ['contains half a character', { padding: '\ud800' }],
  ])('is rejected where the discovery document %s', async (_, changes) => {
    isReachable = changes !== null
    server.documents[discoveryPath] = discovery(changes ?? {})

    const { status, body } = await create(oidcProvider())

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(/^issuer: /)
  })

  it('is rejected where the discovery document is nested too deeply', async () => {
    const nested = `${'['.repeat(9_000)}${']'.repeat(9_000)}`
    // Written as text: printing such a value may exceed the stack.
    const text = JSON.stringify(discovery({ padding: 0 })).replace(
      '"padding":0',
      `"padding":${nested}`,
    )
    server.documents[discoveryPath] = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(text)
    }

    const { status, body } = await create(oidcProvider())

    expect(text).toContain(nested)
    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(/^issuer: .*nested/)
  })

  it('S152: is named in the log where a new issuer announces no iss', async () => {
    const warned: string[] = []
    const on = await auth.beside({
      logger: { ...silentLogger, warn: (_fields, message) => void warned.push(message) },
    })
    const warnings = () => warned.filter((message) => message.includes('shares its callback'))
    const announced = { authorization_response_iss_parameter_supported: true }
    server.documents[discoveryPath] = discovery(announced)
    const { identifier } = await created(oidcProvider())
    server.documents['/four/.well-known/openid-configuration'] = discovery({
      issuer: `${issuer}/four`,
    })
    const put = (body: object) => on.request('PUT', `${path}/${identifier}`, { body, token })

    expect((await put({ name: 'Renamed' })).status).toBe(200)
    expect(warnings()).toHaveLength(0)
    expect((await put({ issuer: `${issuer}/four` })).status).toBe(200)
    expect(warnings()).toHaveLength(1)
    await on.close()
  })

  it('reads the document again where the issuer changes, and not for other changes', async () => {
    const { identifier } = await created(oidcProvider())
    requests = []
    await change(identifier, { name: 'Other' })
    const unread = requests.length
    server.documents['/two/.well-known/openid-configuration'] = discovery({
      issuer: `${issuer}/two`,
    })
    const changed = await change(identifier, { issuer: `${issuer}/two` })
    const refused = await change(identifier, { issuer: `${issuer}/three` })

    expect(unread).toBe(0)
    expect(changed.body.discovery_document.issuer).toBe(`${issuer}/two`)
    expect(refused.status).toBe(400)
    const { body } = await auth.get(`${path}/${identifier}`, { token })
    expect(body.issuer).toBe(`${issuer}/two`)
  })
})

it.each([undefined, null, 7, ['custom:club'], {}])(
  '%j is no identifier for code, either',
  async (given) => {
    const { getProvider, deleteProvider } = auth.auth.admin.customProviders
    for (const call of [getProvider, deleteProvider]) {
      await expect(call(given as never)).rejects.toMatchObject({ code: 'validation_failed' })
    }
  },
)

describe('the registration of a provider', () => {
  it.each([
    ['identifier', { identifier: 'custom:' }],
    ['identifier', { identifier: `custom:${'a'.repeat(44)}` }],
    ['name', { name: ' ' }],
    ['name', { name: 'P\u202eevil' }],
    ['name', { name: 'Acme\nSign in' }],
    ['client_id', { client_id: '\0' }],
    ['client_secret', { client_secret: '' }],
    ['scopes', { scopes: ['two words'] }],
    ['scopes', { scopes: Array.from({ length: 51 }, (_, n) => `s${n}`) }],
    ['acceptable_client_ids', { acceptable_client_ids: [1] }],
    ['attribute_mapping', { attribute_mapping: { email: 1 } }],
    ['attribute_mapping', { attribute_mapping: { sub: {} } }],
    ['attribute_mapping', { attribute_mapping: { linking_domain: 'x' } }],
    ['authorization_params', { authorization_params: { 'Redirect_URI ': 'x' } }],
    ['authorization_params', { authorization_params: { nonce: 'x' } }],
    ['token_url', { token_url: 'https://100.64.0.1/token' }],
    ['token_url', { token_url: 'https://user:password@93.184.216.34/token' }],
    ['token_url', { token_url: 'https://a.localhost./token' }],
    ['userinfo_url', { userinfo_url: 'https://[::ffff:127.0.0.1]/me' }],
    ['authorization_url', { authorization_url: 'https://93.184.216.34/#fragment' }],
    ['issuer', { issuer }],
  ])('rejects %s %#, and names it', async (field, changes) => {
    const { status, body } = await create(oauth2Provider(changes))

    expect([status, body.error_code]).toEqual([400, 'validation_failed'])
    expect(body.msg).toMatch(new RegExp(`^${field}: `))
    expect(requests).toEqual([])
  })

  it('rejects the identifier of a provider of the configuration, which keeps it', async () => {
    const { status, body } = await create(oauth2Provider({ identifier: 'custom:configured' }))

    expect([status, body.error_code]).toEqual([400, 'conflict'])
  })

  it('stores the secret sealed, and never returns it', async () => {
    const { identifier, id } = await created(oauth2Provider({ client_secret: 'very-secret-text' }))
    const stored = await auth.rows('select * from auth.custom_providers where id = $1', [id])
    const answers = [
      await auth.get(path, { token }),
      await auth.get(`${path}/${identifier}`, { token }),
      await change(identifier, { client_secret: 'another-secret-text' }),
    ]

    expect(JSON.stringify(stored)).not.toContain('very-secret-text')
    expect(answers.map(({ text }) => text).join()).not.toContain('secret-text')
    expect(stored[0]).toMatchObject({ sealed_client_secret: expect.stringMatching(/^v2\./) })
  })

  it('rejects a change of type or identifier', async () => {
    const { identifier } = await created(oauth2Provider())

    for (const changes of [{ provider_type: 'oidc' }, { identifier: 'custom:other' }]) {
      expect((await change(identifier, changes)).body.error_code).toBe('validation_failed')
    }
    expect((await change(identifier, { provider_type: 'oauth2', identifier })).status).toBe(200)
  })

  it('rejects hidden characters in a new name, and changes a provider that has some', async () => {
    const { identifier } = await created(oauth2Provider())
    const rejected = [
      await create(oauth2Provider({ identifier: 'custom:hidden', name: 'Cl\u200bub' })),
      await change(identifier, { name: 'Cl\u00a0ub' }),
    ]
    await auth.rows('update auth.custom_providers set name = $2 where identifier = $1', [
      identifier,
      'Cl\u00a0ub',
    ])

    const changed = await change(identifier, { enabled: false })

    expect(rejected.map(({ status, body }) => [status, body.msg])).toEqual([
      [400, expect.stringContaining('name')],
      [400, expect.stringContaining('name')],
    ])
    expect([changed.status, changed.body.enabled]).toEqual([200, false])
  })

  it('records each act with its operator', async () => {
    const { identifier } = await created(oauth2Provider())
    await change(identifier, { name: 'Renamed' })
    await auth.request('DELETE', `${path}/${identifier}`, { token })
    const { entries } = await auth.auth.admin.listAudit({
      query: 'action:custom_provider',
      limit: 1000,
    })

    const own = entries.filter(({ traits }) => traits?.['provider'] === identifier)
    expect(own.map(({ action }) => action).toSorted()).toEqual([
      'custom_provider_created',
      'custom_provider_deleted',
      'custom_provider_updated',
    ])
    expect(own.every(({ actorRole }) => actorRole === 'service_role')).toBe(true)
  })

  it('accepts no more than the maximum, of 10 requests at once', async () => {
    const own = await startTestAuth({ customOauth: { maxProviders: 3 } })
    const by = await own.given.serviceToken()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        own.post(path, oauth2Provider({ identifier: `custom:many-${n}` }), { token: by }),
      ),
    )
    const codes = answers.map(({ status, body }) => body.error_code ?? status)
    const [stored] = await own.rows('select count(*)::int as n from auth.custom_providers')
    await own.close()

    expect(codes.filter((code) => code === 201)).toHaveLength(3)
    expect(codes.filter((code) => code === 'over_custom_provider_quota')).toHaveLength(7)
    expect(stored).toEqual({ n: 3 })
  })

  it('accepts an identifier once, of 10 requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create(oauth2Provider())))
    const codes = answers.map(({ status, body }) => body.error_code ?? status)

    expect(codes.filter((code) => code === 201)).toHaveLength(1)
    expect(codes.filter((code) => code === 'conflict')).toHaveLength(9)
  })

  it('lists pages where they are requested', async () => {
    await created(oauth2Provider({ identifier: `custom:page-a-${count}` }))
    await created(oauth2Provider({ identifier: `custom:page-b-${count}` }))
    const { body, headers } = await auth.get(`${path}?page=2&per_page=1`, { token })

    expect(body.providers).toHaveLength(1)
    expect(Number(headers.get('x-total-count'))).toBeGreaterThan(1)
  })
})

describe('mails about an identity of a registered provider', () => {
  /** Returns the texts of the waiting mails, and deletes them. */
  const mailTexts = async () => {
    const { outbox } = await auth.deps()
    await outbox.settled()
    const records = await auth.auth.outbox.list()
    const previews = await Promise.all(records.map(({ id }) => auth.auth.outbox.preview(id)))
    await auth.rows('delete from auth.outbox_messages returning id')
    return previews.map((preview) => ('text' in preview ? preview.text : ''))
  }

  it('contain its name, also after it was renamed or disabled', async () => {
    const { identifier } = await created(oauth2Provider({ email_optional: true }))
    const { accessToken } = await auth.given.session()
    await mailTexts()
    const identities = linking(auth, { codeFor: () => 'a-code' })
    server.documents['/token'] = { access_token: 'at', token_type: 'Bearer' }
    server.documents['/me'] = { id: `linked-${count}`, name: 'Ada' }

    await identities.link(accessToken, newPerson(), { provider: identifier })
    const linked = await mailTexts()
    await change(identifier, { name: 'Clubs', enabled: false })
    const own = await identities.identitiesOf(accessToken)
    const identity = own.find(({ provider }) => provider === identifier)
    const { status } = await identities.unlink(accessToken, identity?.identity_id ?? '')

    expect(linked).toEqual([expect.stringContaining(') with Club.')])
    expect(status).toBe(200)
    expect(await mailTexts()).toEqual([expect.stringContaining(') with Clubs.')])
  })
})

describe('while registered providers are disabled', () => {
  it('rejects operators with feature_disabled, other clients as ever, and sign-in', async () => {
    const { identifier } = await created(oauth2Provider())
    const other = await auth.beside({ customOauth: { enabled: false } })
    const answers = [
      await other.request('GET', path, { token }),
      await other.request('POST', path, { token, body: 'nonsense' }),
      await other.request('GET', path),
      await other.request('GET', `/authorize?provider=${identifier}`),
    ]
    await other.close()

    expect(answers.map(({ status, body }) => [status, body.error_code])).toEqual([
      [404, 'feature_disabled'],
      [404, 'feature_disabled'],
      [401, 'no_authorization'],
      [400, 'validation_failed'],
    ])
  })
})
