import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type FakeRealm,
  openBrowser,
  realmSettings,
  redirectOf,
  startFakeRealm,
} from '../../../test/support/fake-realm.ts'
import {
  followTo,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../../test/support/openid-provider.ts'
import { startTestAuth, type TestAuth } from '../../../test/support/test-auth.ts'
import { oauth2 } from '../../credentials/external/oauth2.ts'
import { oidc } from '../../credentials/external/oidc.ts'

const client = { clientId: 'client', clientSecret: 'secret' }
const shared = 'https://app.example.test/callback'
const ada = { sub: 'ada', email: 'ada@example.test', email_verified: true }

let honest: FakeRealm
let hostile: FakeRealm
let announcing: OpenIdProvider
let auth: TestAuth

/** A provider of plain OAuth, with the endpoints of a realm. */
const plainAt = (
  { url }: Pick<FakeRealm, 'url'>,
  more: { issuer?: string; redirectUri?: string } = {},
) =>
  oauth2({
    ...client,
    authorizationUrl: `${url}/authorize`,
    tokenUrl: `${url}/protocol/openid-connect/token`,
    profileUrl: `${url}/protocol/openid-connect/userinfo`,
    ...more,
  })

beforeAll(async () => {
  honest = await startFakeRealm()
  hostile = await startFakeRealm()
  announcing = await startOpenIdProvider({ ...client, redirectUri: shared })
  auth = await startTestAuth({
    providers: {
      keycloak: realmSettings(honest),
      evil: plainAt(hostile),
      shared: plainAt(hostile, { redirectUri: shared }),
      named: plainAt(honest, { issuer: 'https://id.example.test', redirectUri: shared }),
      'spelled-1': plainAt(hostile, { redirectUri: `${shared}/SPELLED-1` }),
      'spelled-2': plainAt(hostile, { redirectUri: `${shared}/spelled%2D2/` }),
      announcing: oidc({ ...client, issuer: announcing.issuer, redirectUri: shared }),
    },
  })
  // The provider uses the system clock.
  auth.clock.advance((Date.now() - auth.clock.now().getTime()) / 1000)
})
afterAll(async () => {
  await auth.close()
  await Promise.all([honest.close(), hostile.close(), announcing.close()])
})

/** Starts a flow with one provider and sends its response to a path, with further parameters. */
async function received(provider: string, path: string, more: Record<string, string> = {}) {
  const browser = openBrowser(auth)
  const { state } = await browser.authorize({ provider })
  const realm = ['keycloak', 'named'].includes(provider) ? honest : hostile
  const query = new URLSearchParams({ state, code: realm.codeFor(ada), ...more })
  return redirectOf(await browser.get(`${path}?${query}`))
}

const mismatch = { error: 'invalid_request', error_code: 'bad_oauth_callback' }

describe('S09: the path of a callback', () => {
  it('is its own for each of several providers in code', async () => {
    const { answer } = await openBrowser(auth).authorize({ provider: 'keycloak' })
    const redirectUri = new URL(answer.headers.get('location') ?? '').searchParams.get(
      'redirect_uri',
    )
    expect(redirectUri).toBe(`${shared}/keycloak`)
    expect((await received('keycloak', '/callback/keycloak')).fragment['access_token']).toBeTruthy()
  })

  it.each([
    ['/callback/keycloak', 'of another provider'],
    ['/callback/unknown', 'of no provider'],
    ['/callback', 'that providers share'],
  ])('rejects the response of a provider at %s, %s', async (path) => {
    const { query, fragment } = await received('evil', path)
    expect(query).toMatchObject(mismatch)
    expect(fragment['access_token']).toBeUndefined()
  })

  it('is received as a form, too', async () => {
    const browser = openBrowser(auth)
    for (const [path, accepted] of [
      ['/callback/evil', false],
      ['/callback/keycloak', true],
    ] as const) {
      const { state } = await browser.authorize()
      const form = new URLSearchParams({ state, code: honest.codeFor(ada) })
      const { fragment } = redirectOf(await browser.submit(path, form))
      expect('access_token' in fragment).toBe(accepted)
    }
  })

  it.each(['spelled-1', 'spelled-2'])('is its own in any spelling: %s', async (provider) => {
    const { query, fragment } = await received(provider, '/callback')
    expect([query, fragment['access_token']]).toEqual([
      expect.objectContaining(mismatch),
      undefined,
    ])
    expect((await received(provider, `/callback/${provider}`)).fragment).toHaveProperty(
      'access_token',
    )
  })

  it('may be shared where it is configured', async () => {
    expect((await received('shared', '/callback')).fragment['access_token']).toBeTruthy()
    expect((await received('shared', '/callback/shared')).fragment['access_token']).toBeTruthy()
    expect((await received('shared', '/callback/evil')).query).toMatchObject(mismatch)
  })
})

describe('S09: the issuer of a response', () => {
  it.each<[string, () => string]>([
    ['keycloak', () => honest.url],
    ['shared', () => hostile.url],
    ['shared', () => `${hostile.url}/any/path`],
    ['named', () => 'https://id.example.test'],
  ])('of the requested provider is accepted: %s', async (provider, issuer) => {
    const path = provider === 'keycloak' ? '/callback/keycloak' : '/callback'
    const { fragment } = await received(provider, path, { iss: issuer() })
    expect(fragment['access_token']).toBeTruthy()
  })

  it.each<[string, () => string]>([
    ['keycloak', () => hostile.url],
    ['keycloak', () => `${honest.url}/other`],
    ['shared', () => honest.url],
    ['shared', () => 'null'],
    ['named', () => honest.url],
    ['named', () => 'https://id.example.test/'],
  ])('of another one is rejected before the code is sent: %s', async (provider, issuer) => {
    const before = (await auth.rows('select from auth.sessions')).length
    const path = provider === 'keycloak' ? '/callback/keycloak' : '/callback'
    const browser = openBrowser(auth)
    const { state } = await browser.authorize({ provider })
    const realm = provider === 'shared' ? hostile : honest
    const code = realm.codeFor(ada)
    const query = new URLSearchParams({ state, code, iss: issuer() })
    const rejected = redirectOf(await browser.get(`${path}?${query}`))

    expect(rejected.query).toMatchObject(mismatch)
    expect(await auth.rows('select from auth.sessions')).toHaveLength(before)
    expect(await isUnspent(realm, code)).toBe(true)
  })

  it('is required where discovery announces it, in an error as well', async () => {
    for (const parameters of [{ code: 'code' }, { error: 'access_denied' }]) {
      const browser = openBrowser(auth)
      const { state } = await browser.authorize({ provider: 'announcing' })
      const { query } = await browser.sendCallback({ state, ...parameters })
      expect(query).toMatchObject({
        ...mismatch,
        error_description: expect.stringMatching(/^iss: /),
      })
    }
  })
})

/** Whether a code was not sent to the token endpoint. */
async function isUnspent({ url }: FakeRealm, code: string): Promise<boolean> {
  const response = await fetch(`${url}/protocol/openid-connect/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', code }),
  })
  return response.ok
}

it('S09: the exchange repeats the redirect URI of the request, though another is now configured', async () => {
  announcing.signsIn = { ...ada, sub: 'ada-2', email: 'ada-2@example.test' }
  const other = oidc({ ...client, issuer: announcing.issuer })
  const changed = await auth.beside({ providers: { announcing: other } })
  const left = await auth.get('/authorize?provider=announcing')
  const [cookie = ''] = (left.headers.get('set-cookie') ?? '').split(';')
  const query = await followTo(shared, left.headers.get('location') ?? '')
  const answer = await changed.request('GET', `/callback?${query}`, { headers: { cookie } })

  expect(query.get('iss')).toBe(announcing.issuer)
  expect(announcing.refusals).toEqual([])
  expect(redirectOf(answer).fragment['access_token']).toBeTruthy()
  await changed.close()
})

it('S09: a warning at start names the providers that share a callback without announcing iss', async () => {
  const warned = () => auth.log.filter(({ message }) => message.includes('share a callback'))
  await auth.get('/health')
  await vi.waitFor(() => expect(warned()).toHaveLength(1))
  expect(warned()[0]?.fields).toEqual({ providers: 'shared, named', redirectUri: shared })
})
