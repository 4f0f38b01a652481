import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DefinedProvider } from '../src/credentials/external/define-provider.ts'
import { oauth2 } from '../src/credentials/external/oauth2.ts'
import { type OidcOptions, oidc } from '../src/credentials/external/oidc.ts'
import { createIssuers } from '../src/credentials/external/protocol/issuers.ts'
import { oauth2Provider } from '../src/credentials/external/protocol/oauth2-provider.ts'
import type { Provider } from '../src/credentials/external/provider.ts'
import type { ProviderClient } from '../src/platform/config/sections/provider-definition.ts'
import { systemClock } from '../src/platform/kit/clock.ts'
import { sha256Hex } from '../src/platform/kit/digest.ts'
import { safeFetch } from '../src/platform/kit/safe-fetch.ts'
import { silentLogger } from '../src/platform/observability/logger.ts'
import { openBrowser } from './support/fake-realm.ts'
import { discoveryPath, issuerKey, startOpenIdIssuer } from './support/openid-issuer.ts'
import {
  followTo,
  type OpenIdProvider,
  type OpenIdProviderOptions,
  startOpenIdProvider,
} from './support/openid-provider.ts'
import { startTestAuth, type TestAuth } from './support/test-auth.ts'

// The other side is a provider from an independent library.

const client: ProviderClient = {
  clientId: 'our app',
  clientIds: ['our app'],
  clientSecret: 'a:secret/of+ours %',
  redirectUri: 'https://app.example/callback',
  url: null,
}

const ada = {
  sub: 'ada-1',
  email: 'Ada@example.test',
  email_verified: true,
  name: 'Ada',
  locale: 'en',
}

const startProvider = (options: Partial<OpenIdProviderOptions> = {}) =>
  startOpenIdProvider({ ...client, ...options })

function bind({ definition }: DefinedProvider): Provider {
  const access = { fetch: safeFetch, timeoutMs: 2000, clock: systemClock }
  const issuers = createIssuers({
    ...access,
    logger: silentLogger,
    storage: null,
    cacheLifetimeMs: 3_600_000,
  })
  return oauth2Provider({ ...access, issuers }, 'acme', definition, client)
}

const oidcAt = ({ issuer }: Pick<OpenIdProvider, 'issuer'>, options: Partial<OidcOptions> = {}) =>
  bind(oidc({ issuer, clientId: client.clientId, clientSecret: client.clientSecret, ...options }))

/** Signs in at a provider, as a browser does. */
async function signIn(provider: Provider, changes: { nonce?: string; codeVerifier?: string } = {}) {
  const { url, ...kept } = await provider.createAuthorizationUrl({
    state: 'state-1',
    scopes: [],
    parameters: {},
  })
  const came = await followTo(client.redirectUri, url)
  expect(came.get('state')).toBe('state-1')
  return provider.handleCallback({ ...kept, ...changes, parameter: (name) => came.get(name) })
}

describe('oidc()', () => {
  it.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)(
    'signs in at a provider that signs with %s',
    async (alg) => {
      await using server = await startProvider({ alg, addsEmailToIdToken: true })
      server.signsIn = ada

      const { profile, tokens } = await signIn(oidcAt(server))

      expect(server.refusals).toEqual([])
      expect(profile).toMatchObject({
        subject: 'ada-1',
        emails: [{ address: 'Ada@example.test', isVerified: true }],
        claims: { iss: server.issuer, name: 'Ada', locale: 'en' },
      })
      expect(tokens.accessToken).not.toBe('')
    },
  )

  describe('at one provider', () => {
    let server: OpenIdProvider
    beforeAll(async () => {
      server = await startProvider()
    })
    afterAll(() => server.close())

    it('reads claims that the id token does not contain from the user info', async () => {
      server.signsIn = { ...ada, sub: 'ada-2', email_verified: false }

      const { profile } = await signIn(oidcAt(server))

      expect(profile).toMatchObject({
        subject: 'ada-2',
        emails: [{ address: 'Ada@example.test', isVerified: false }],
        claims: { iss: server.issuer, name: 'Ada' },
      })
    })

    it('renews its tokens, with each refresh token once', async () => {
      const provider = oidcAt(server)
      const { tokens } = await signIn(provider)
      const first = tokens.refreshToken ?? ''

      const renewed = await provider.refresh(first)

      expect(renewed.accessToken).not.toBe(tokens.accessToken)
      expect(renewed.refreshToken).not.toBe(first)
      expect(renewed.scopes).toEqual(['openid', 'email', 'profile'])
      expect((await provider.refresh(renewed.refreshToken ?? '')).accessToken).not.toBe('')
      await expect(provider.refresh(first)).rejects.toMatchObject({ name: 'GrantRejection' })
      server.refusals.length = 0
    })

    it('requests openid, email and profile, bound to a verifier and a nonce', async () => {
      const { url, codeVerifier, nonce } = await oidcAt(server).createAuthorizationUrl({
        state: 'state-1',
        scopes: ['offline_access'],
        parameters: {
          prompt: 'login',
          code_challenge: 'mine',
          redirect_uri: 'https://evil.example',
        },
      })

      const requested = Object.fromEntries(new URL(url).searchParams)
      expect(requested).toMatchObject({
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        scope: 'openid email profile offline_access',
        code_challenge_method: 'S256',
        prompt: 'login',
        nonce,
      })
      expect(requested['code_challenge']).not.toBe('mine')
      expect(codeVerifier).toHaveLength(43)
    })

    it('rejects a code of another sign-in', async () => {
      const codeVerifier = 'x'.repeat(43)

      const signingIn = signIn(oidcAt(server), { codeVerifier })

      await expect(signingIn).rejects.toMatchObject({ message: 'Unable to exchange external code' })
    })

    it('T27: rejects the id token of another sign-in', async () => {
      const signingIn = signIn(oidcAt(server), { nonce: 'of another one' })

      await expect(signingIn).rejects.toMatchObject({
        message: 'Error getting user profile from external provider',
        cause: { message: 'id token has another nonce' },
      })
    })

    it('accepts an issuer that is written with a slash at its end', async () => {
      server.signsIn = ada

      const { profile } = await signIn(oidcAt(server, { issuer: `${server.issuer}/` }))

      expect(profile.subject).toBe('ada-1')
    })
  })

  it('authenticates the client in the body where the provider requires it', async () => {
    await using server = await startProvider({ authentication: 'client_secret_post' })

    const { profile } = await signIn(oidcAt(server))

    expect(profile.subject).toBe('ada')
  })

  it("T43: sends no request to another private host that its issuer's document contains", async () => {
    await using issuer = await startOpenIdIssuer([issuerKey('RS256', 'key-1')])
    await using other = await startOpenIdIssuer([])
    const token_endpoint = `${other.issuer}/token`
    issuer.documents[discoveryPath] = { ...Object(issuer.documents[discoveryPath]), token_endpoint }
    const provider = oidcAt({ issuer: issuer.issuer })
    const { url: _, ...kept } = await provider.createAuthorizationUrl({
      state: 's',
      scopes: [],
      parameters: {},
    })

    const arriving = provider.handleCallback({ ...kept, parameter: () => 'code' })

    await expect(arriving).rejects.toMatchObject({ cause: { reason: 'refused-url' } })
    expect(other.heard).toEqual([])
  })

  it.each(['', 'acme', 'ftp://id.example', 'https://me:secret@id.example'])(
    'rejects %j as an issuer',
    (issuer) => {
      expect(() => oidc({ issuer, clientId: 'id', clientSecret: 'secret' })).toThrow(
        'issuer must be',
      )
    },
  )
})

describe('over HTTP, at a service', () => {
  let server: OpenIdProvider
  let auth: TestAuth
  const clientId = 'our app'

  beforeAll(async () => {
    const redirectUri = 'https://app.example.test/callback'
    server = await startProvider({ redirectUri, addsEmailToIdToken: true })
    const { issuer } = server
    const { clientSecret } = client
    auth = await startTestAuth({
      providers: { acme: oidc({ issuer, clientId, clientSecret, redirectUri, label: 'Acme' }) },
    })
    // The provider uses the real time.
    auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
  })
  afterAll(async () => {
    await auth.close()
    await server.close()
  })

  /** Signs in as a browser does, from our `/authorize` to the redirect target. */
  async function signInThere(query: Record<string, string> = {}) {
    const browser = openBrowser(auth)
    const { answer } = await browser.authorize({ provider: 'acme', ...query })
    const away = answer.headers.get('location') ?? ''
    const came = await followTo('https://app.example.test/callback', away)
    return { away, ...(await browser.sendCallback(Object.fromEntries(came))) }
  }

  it('users sign in, and are recognized at the next sign-in', async () => {
    server.signsIn = ada
    const [first, second] = [await signInThere(), await signInThere()]

    expect(first.location.origin).toBe('https://app.example.test')
    const users = await Promise.all(
      [first, second].map(({ fragment }) => auth.get('/user', { token: fragment['access_token'] })),
    )
    expect(users[0]?.body).toMatchObject({
      email: 'ada@example.test',
      app_metadata: { provider: 'acme' },
      identities: [{ provider: 'acme', id: 'ada-1' }],
    })
    expect(users[1]?.body.id).toBe(users[0]?.body.id)
    expect(server.refusals).toEqual([])
  })

  it('a code of the provider is rejected in another sign-in', async () => {
    server.signsIn = ada
    const [victim, attacker] = [openBrowser(auth), openBrowser(auth)]
    const theirs = await attacker.authorize({ provider: 'acme' })
    const code = await followTo(
      'https://app.example.test/callback',
      theirs.answer.headers.get('location') ?? '',
    )
    const { state } = await victim.authorize({ provider: 'acme' })

    const { query } = await victim.sendCallback({ state, code: code.get('code') ?? '' })

    expect(query).toMatchObject({ error: 'invalid_request', error_code: 'bad_oauth_callback' })
  })

  it('its id tokens sign in without a browser', async () => {
    server.signsIn = { ...ada, sub: 'ada-3', email: 'ada-3@example.test' }
    const provider = oidcAt(server, {})
    const { url, codeVerifier, nonce } = await provider.createAuthorizationUrl({
      state: 'state-1',
      scopes: [],
      parameters: { nonce: sha256Hex('raw nonce'), redirect_uri: 'ignored' },
    })
    const away = new URL(url)
    away.searchParams.set('nonce', sha256Hex('raw nonce'))
    away.searchParams.set('redirect_uri', 'https://app.example.test/callback')
    const came = await followTo('https://app.example.test/callback', away.href)
    const traded = await fetch(`${server.issuer}/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(
          [clientId, client.clientSecret].map(encodeURIComponent).join(':'),
        )}`,
      },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: came.get('code') ?? '',
        redirect_uri: 'https://app.example.test/callback',
        code_verifier: codeVerifier ?? '',
      }),
    })
    const { id_token, access_token } = (await traded.json()) as Record<string, string>
    const grant = (body: object) =>
      auth.post('/token?grant_type=id_token', { provider: 'acme', id_token, ...body })

    expect(nonce).not.toBe(sha256Hex('raw nonce'))
    expect((await grant({ access_token })).body.error_description).toMatch('Passed nonce')
    expect((await grant({ access_token, nonce: 'other' })).body.error).toBe('invalid nonce')
    const { status, body } = await grant({ access_token, nonce: 'raw nonce' })
    expect(status).toBe(200)
    expect(body.user).toMatchObject({
      email: 'ada-3@example.test',
      identities: [{ provider: 'acme', id: 'ada-3' }],
    })
  })
})

describe('oauth2()', () => {
  it('signs in with endpoints only', async () => {
    await using server = await startProvider()
    server.signsIn = ada
    const provider = bind(
      oauth2({
        authorizationUrl: `${server.issuer}/auth`,
        tokenUrl: `${server.issuer}/token`,
        profileUrl: `${server.issuer}/me`,
        scopes: ['openid', 'email'],
        parameters: { nonce: 'demanded by this provider' },
        clientId: client.clientId,
        clientSecret: client.clientSecret,
      }),
    )

    const { profile } = await signIn(provider)

    expect(profile).toMatchObject({
      subject: 'ada-1',
      emails: [{ address: 'Ada@example.test', isVerified: true }],
    })
    expect(provider.label).toMatch(/^127\.0\.0\.1:\d+$/)
  })
})
