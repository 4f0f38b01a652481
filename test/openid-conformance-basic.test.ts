import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Conformance,
  callback,
  errorOf,
  issuer,
  startConformance,
} from './support/openid-conformance.ts'
import { openBrowser } from './support/page-browser.ts'

// The checks of the plans "Basic" and "Config" for providers in OpenID's conformance suite, each
// by the name of its module. Where the provider decides otherwise, the test states the decision.

let suite: Conformance

beforeAll(async () => {
  suite = await startConformance()
})
afterAll(() => suite?.auth.close())

const tokenRequest = (fields: Record<string, string>, secret: string, id: string) =>
  suite.auth.post('/auth/oauth/token', new URLSearchParams(fields).toString(), {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    },
  })

describe('oidcc-config-certification-test-plan', () => {
  it('oidcc-discovery-endpoint-verification', async () => {
    const { body, headers } = await suite.auth.get('/auth/.well-known/openid-configuration')
    const { body: jwks } = await suite.auth.get('/auth/.well-known/jwks.json')

    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.issuer).toBe(issuer)
    for (const name of [
      'authorization_endpoint',
      'token_endpoint',
      'userinfo_endpoint',
      'jwks_uri',
      'registration_endpoint',
      'end_session_endpoint',
    ]) {
      expect([name, URL.parse(body[name])?.protocol]).toEqual([name, 'https:'])
    }
    expect(body.response_types_supported).toEqual(['code'])
    expect(body.subject_types_supported).toEqual(['public'])
    // OpenID Connect Discovery 1.0 §3: RS256 must be in the list.
    expect(body.id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256'])
    expect(body.scopes_supported).toContain('openid')
    expect(body.claims_supported).toContain('sub')
    expect(body.token_endpoint_auth_methods_supported).toContain('client_secret_basic')
    expect(body.request_uri_parameter_supported).toBe(false)
    expect(body.request_parameter_supported).toBe(false)
    const keys = jwks.keys as Record<string, unknown>[]
    expect(new Set(keys.map(({ kid }) => kid)).size).toBe(keys.length)
    expect(keys.flatMap((key) => ['d', 'p', 'q', 'k'].filter((name) => name in key))).toEqual([])
  })
})

describe('oidcc-basic-certification-test-plan', () => {
  it('oidcc-server, oidcc-idtoken-signature', async () => {
    const [client, user] = [await suite.register(), await suite.user()]

    const { tokens, claims, pages } = await suite.signIn(client, user)

    expect(pages).toEqual(['sign-in', 'consent'])
    expect(claims).toMatchObject({ iss: issuer, sub: user.id, aud: client.client_id })
    expect(claims.exp - claims.iat).toBeGreaterThan(0)
    expect(tokens.token_type).toMatch(/^bearer$/i)
  })

  // Decided otherwise by specification 5 §5.4: an absent response type is `code`.
  it('oidcc-response-type-missing', async () => {
    const [client, user] = [await suite.register(), await suite.user()]

    const { url } = await suite.signIn(client, user, { response_type: undefined })

    expect(url.searchParams.has('code')).toBe(true)
  })

  // `none` as the algorithm of ID tokens is not supported, as is permitted.
  it('oidcc-idtoken-unsigned', () => {
    expect(suite.server.id_token_signing_alg_values_supported).not.toContain('none')
  })

  it('oidcc-userinfo-get', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const verified = await suite.signIn(client, user)

    expect(await suite.userinfo(client, verified)).toEqual({ sub: user.id })
  })

  it('oidcc-userinfo-post-header', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const { tokens } = await suite.signIn(client, user)

    const { status, body } = await suite.auth.post('/auth/oauth/userinfo', undefined, {
      token: tokens.access_token,
    })

    expect([status, body]).toEqual([200, { sub: user.id }])
  })

  // A token in the body is optional (RFC 6750 §2.2) and is not read.
  it('oidcc-userinfo-post-body', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const { tokens } = await suite.signIn(client, user)

    const { status, headers } = await suite.auth.post(
      '/auth/oauth/userinfo',
      `${new URLSearchParams({ access_token: tokens.access_token })}`,
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    )

    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
    const [client, user] = [await suite.register(), await suite.user()]

    const { claims } = await suite.signIn(client, user, { nonce: undefined })

    expect(claims.nonce).toBeUndefined()
  })

  it.each([
    ['oidcc-scope-profile', 'openid profile', ['name', 'updated_at']],
    ['oidcc-scope-email', 'openid email', ['email', 'email_verified']],
    ['oidcc-scope-phone', 'openid phone', ['phone_number', 'phone_number_verified']],
    [
      'oidcc-scope-all',
      'openid profile email phone',
      ['name', 'updated_at', 'email', 'email_verified', 'phone_number', 'phone_number_verified'],
    ],
  ])('%s', async (_, scope, names) => {
    const [client, user] = [await suite.register(), await suite.user()]
    await suite.auth.auth.admin.updateUser(user.id, {
      phone: `4915${Math.floor(Math.random() * 1e9)}`,
      phoneConfirm: true,
      userMetadata: { name: 'Ada' },
    })
    const verified = await suite.signIn(client, user, { scope })
    const claims = await suite.userinfo(client, verified)

    const standard = suite.server.claims_supported as string[]
    const found = Object.keys(claims).filter((name) => name !== 'sub' && standard.includes(name))
    expect(found.toSorted()).toEqual(names.toSorted())
    expect(verified.claims).toMatchObject(
      Object.fromEntries(names.map((name) => [name, claims[name]])),
    )
  })

  // Decided otherwise by specification 5 §5.4: a scope that is not supported is rejected.
  it('oidcc-scope-address', async () => {
    const client = await suite.register()
    const { url } = await suite.requestOf(client, { scope: 'openid address' })

    expect(suite.server.scopes_supported).not.toContain('address')
    expect(errorOf(await suite.visit(await suite.user(), url))).toBe('invalid_scope')
  })

  // The parameter `claims` is not supported, as is permitted; it is ignored.
  it('oidcc-claims-essential', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const requested = JSON.stringify({ userinfo: { name: { essential: true } } })
    const verified = await suite.signIn(client, user, { claims: requested })

    expect(suite.server['claims_parameter_supported']).not.toBe(true)
    expect(await suite.userinfo(client, verified)).toEqual({ sub: user.id })
  })

  it.each([
    ['oidcc-alternate-happy-flow', {}, { redirect_uris: [callback, `${callback}2`] }],
    ['oidcc-display-page', { display: 'page' }, {}],
    ['oidcc-display-popup', { display: 'popup' }, {}],
    ['oidcc-claims-locales', { claims_locales: 'se' }, {}],
    ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }, {}],
    ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }, {}],
    ['oidcc-ensure-request-with-valid-pkce-succeeds', {}, {}],
  ])('%s', async (_, parameters, metadata) => {
    const [client, user] = [await suite.register(metadata), await suite.user()]

    expect((await suite.signIn(client, user, parameters)).claims.sub).toBe(user.id)
  })

  it('oidcc-ui-locales, oidcc-login-hint', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const { url } = await suite.requestOf(client, { ui_locales: 'de', login_hint: user.email })

    const first = await user.browser.get(url)
    const consent = new URL(first.headers.get('location') ?? '')

    expect(consent.searchParams.get('login_hint')).toBe(user.email)
    expect(consent.searchParams.get('ui_locales')).toBe('de')
    expect((await suite.visit(user, url)).url?.searchParams.has('code')).toBe(true)
  })

  it('oidcc-prompt-login', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const first = await suite.signIn(client, user)
    suite.auth.clock.advance(2)

    const second = await suite.signIn(client, user, { prompt: 'login' })

    expect(second.pages).toContain('sign-in')
    expect(second.claims.sub).toBe(first.claims.sub)
    expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
  })

  it('oidcc-prompt-none-not-logged-in', async () => {
    const client = await suite.register()
    const { url, state } = await suite.requestOf(client, { prompt: 'none' })

    const end = await suite.visit(await suite.user(), url)

    expect([errorOf(end), end.pages]).toEqual(['login_required', []])
    expect(end.url?.searchParams.get('state')).toBe(state)
    expect(end.url?.searchParams.get('iss')).toBe(issuer)
  })

  it('oidcc-prompt-none-logged-in', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const first = await suite.signIn(client, user)

    const second = await suite.signIn(client, user, { prompt: 'none' })

    expect(second.pages).toEqual([])
    expect([second.claims.sub, second.claims.auth_time]).toEqual([
      first.claims.sub,
      first.claims.auth_time,
    ])
  })

  it('oidcc-max-age-1', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const first = await suite.signIn(client, user)
    suite.auth.clock.advance(2)

    const second = await suite.signIn(client, user, { max_age: '1' })

    expect(second.pages).toContain('sign-in')
    expect(Number(second.claims.auth_time)).toBeGreaterThan(Number(first.claims.auth_time))
  })

  it('oidcc-max-age-10000', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const first = await suite.signIn(client, user)

    const second = await suite.signIn(client, user, { max_age: '10000' })

    expect(second.pages).not.toContain('sign-in')
    expect(second.claims.auth_time).toBe(first.claims.auth_time)
  })

  it('oidcc-id-token-hint', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const first = await suite.signIn(client, user)
    const hint = first.tokens.id_token

    const second = await suite.signIn(client, user, { prompt: 'none', id_token_hint: hint })

    expect(second.claims.sub).toBe(first.claims.sub)
  })

  it('oidcc-codereuse, oidcc-codereuse-30seconds', async () => {
    for (const waitSeconds of [1, 30]) {
      const [client, user] = [await suite.register(), await suite.user()]
      const verified = await suite.signIn(client, user)
      suite.auth.clock.advance(waitSeconds)

      const again = await suite
        .exchange(client, verified.url, verified.begun)
        .catch((error: oauth.ResponseBodyError) => error.error)

      expect(again).toBe('invalid_grant')
      // The tokens that were issued for the code are revoked.
      await expect(suite.userinfo(client, verified)).rejects.toThrow(/WWW-Authenticate|challenge/i)
    }
  })

  it('oidcc-ensure-registered-redirect-uri', async () => {
    const client = await suite.register()
    const foreign = `${callback}/another`
    const { url } = await suite.requestOf(client, { redirect_uri: foreign })

    const end = await suite.visit(await suite.user(), url)

    expect([end.url, end.status]).toEqual([null, 400])
  })

  it('oidcc-ensure-post-request-succeeds', async () => {
    const [client, user] = [await suite.register(), await suite.user()]
    const begun = await suite.requestOf(client)

    const posted = await user.browser.send('POST', '/auth/oauth/authorize', `${begun.query}`, {
      origin: 'https://client.example.test',
    })
    const end = await suite.visit(user, posted.headers.get('location') ?? '')

    const { claims } = await suite.exchange(client, end.url as URL, begun)
    expect(claims.sub).toBe(user.id)
  })

  it('oidcc-server-client-secret-post', async () => {
    const [client, user] = [
      await suite.register({ token_endpoint_auth_method: 'client_secret_post' }),
      await suite.user(),
    ]
    const begun = await suite.requestOf(client)
    const { url } = await suite.visit(user, begun.url)
    const bySecret = oauth.ClientSecretPost(client.client_secret ?? '')

    const { claims } = await suite.exchange(client, url as URL, begun, bySecret)

    expect(claims.aud).toBe(client.client_id)
  })

  it.each([
    [
      'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
      'request',
      'eyJhbGciOiJub25lIn0.e30.',
      'request_not_supported',
    ],
    [
      'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
      'request_uri',
      'https://client.example.test/request',
      'request_uri_not_supported',
    ],
    [
      'oidcc-ensure-request-object-with-redirect-uri',
      'request',
      `eyJhbGciOiJub25lIn0.${Buffer.from('{"redirect_uri":"https://evil.test"}').toString('base64url')}.`,
      'request_not_supported',
    ],
  ])('%s', async (_, name, value, error) => {
    const client = await suite.register()
    const { url } = await suite.requestOf(client, { [name]: value })

    const end = await suite.visit(await suite.user(), url)

    expect([errorOf(end), end.url?.origin]).toEqual([error, 'https://client.example.test'])
  })

  it('oidcc-refresh-token', async () => {
    const [client, other] = [await suite.register(), await suite.register()]
    const user = await suite.user()
    const verified = await suite.signIn(client, user, { scope: 'openid offline_access' })
    const token = verified.tokens.refresh_token ?? ''
    const fields = { grant_type: 'refresh_token', refresh_token: token }

    const stolen = await tokenRequest(fields, other.client_secret ?? '', other.client_id)
    const response = await oauth.refreshTokenGrantRequest(
      suite.server,
      client,
      suite.authenticationOf(client),
      token,
      suite.inProcess,
    )
    const renewed = await oauth.processRefreshTokenResponse(suite.server, client, response)

    expect([stolen.status, stolen.body.error]).toEqual([400, 'invalid_grant'])
    expect(renewed.access_token).not.toBe(verified.tokens.access_token)
    expect(await suite.userinfo(client, { ...verified, tokens: renewed })).toEqual({ sub: user.id })
  })
})

describe('oidcc-formpost-basic-certification-test-plan', () => {
  // `form_post` is not supported: specification 5 §5.2 has the response mode `query` only.
  it('is rejected, and not advertised', async () => {
    const client = await suite.register()
    const { url } = await suite.requestOf(client, { response_mode: 'form_post' })

    expect(suite.server.response_modes_supported).toEqual(['query'])
    expect(errorOf(await suite.visit(await suite.user(), url))).toBe('invalid_request')
    expect((await openBrowser(suite.auth).get(url)).status).toBe(302)
  })
})
