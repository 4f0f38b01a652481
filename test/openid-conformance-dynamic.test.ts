import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import * as oauth from 'oauth4webapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonWebKey } from '../src/platform/config/sections/tokens.ts'
import {
  type Conformance,
  callback,
  errorOf,
  issuer,
  startConformance,
} from './support/openid-conformance.ts'
import { testSecret } from './support/test-auth.ts'
import { trustCertificate } from './support/trust-certificate.ts'
import { answerJson, startWebServer, type WebServer } from './support/web-server.ts'

// The checks of the plan "Dynamic" for providers in OpenID's conformance suite, each by the name of
// its module. Where the provider decides otherwise, the test states the decision.

const certificate = (file: string) =>
  readFileSync(new URL(`support/certificate/${file}`, import.meta.url), 'utf8')
const tls = { key: certificate('localhost.key.pem'), cert: certificate('localhost.pem') }

const signingKey = (kid: string): JsonWebKey => ({
  ...(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    format: 'jwk',
  }) as JsonWebKey),
  kid,
  alg: 'RS256',
  key_ops: ['sign', 'verify'],
})
const firstKey = signingKey('first')

let suite: Conformance
let trust: Disposable
/** The relying party's server, which publishes its keys. */
let publisher: WebServer
let published: object[] = []

beforeAll(async () => {
  trust = trustCertificate(tls.cert)
  publisher = await startWebServer(
    (response) => answerJson(response, 200, { keys: published }),
    tls,
  )
  suite = await startConformance({
    jwt: { keys: [firstKey] },
    oauthServer: {
      clientIdMetadataDocuments: { enabled: true, trustedHosts: [`localhost:${publisher.port}`] },
    },
  })
})
afterAll(async () => {
  await suite?.auth.close()
  await publisher?.close()
  trust[Symbol.dispose]()
})

/** A key of the relying party, which it publishes as the only one. */
async function publishKey(kid: string) {
  const pair = await oauth.generateKeyPair('ES256')
  const jwk = await crypto.subtle.exportKey('jwk', pair.publicKey)
  published = [{ ...jwk, kid, alg: 'ES256', use: 'sig' }]
  return oauth.PrivateKeyJwt({ key: pair.privateKey, kid })
}
const registerBadly = async (metadata: Record<string, unknown>) =>
  suite.auth.post('/auth/oauth/clients/register', { redirect_uris: [callback], ...metadata })

describe('oidcc-dynamic-certification-test-plan', () => {
  it('oidcc-server, oidcc-idtoken-rs256', async () => {
    const client = await suite.register()
    const { claims, tokens } = await suite.signIn(client, await suite.user())

    const [header = ''] = (tokens.id_token ?? '').split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({
      alg: 'RS256',
      kid: 'first',
    })
    expect(claims.aud).toBe(client.client_id)
    expect(suite.server.id_token_signing_alg_values_supported).toEqual(['RS256'])
  })

  it('oidcc-ensure-redirect-uri-in-authorization-request', async () => {
    const client = await suite.register()
    const { url } = await suite.requestOf(client, { redirect_uri: undefined })

    const end = await suite.visit(await suite.user(), url)

    expect([end.url, end.status]).toEqual([null, 400])
  })

  it('oidcc-redirect-uri-query-OK', async () => {
    const uri = `${callback}?foo=bar`
    const client = await suite.register({ redirect_uris: [uri] })

    const { url } = await suite.signIn(client, await suite.user(), { redirect_uri: uri })

    expect([url.searchParams.getAll('foo'), url.pathname]).toEqual([['bar'], '/cb'])
  })

  it.each([
    ['oidcc-redirect-uri-query-added', callback, `${callback}?foo=bar`],
    ['oidcc-redirect-uri-query-mismatch', `${callback}?foo=bar`, `${callback}?bar=foo`],
  ])('%s', async (_, registered, requested) => {
    const client = await suite.register({ redirect_uris: [registered] })
    const { url } = await suite.requestOf(client, { redirect_uri: requested })

    const end = await suite.visit(await suite.user(), url)

    expect([end.url, end.status]).toEqual([null, 400])
  })

  it('oidcc-redirect-uri-regfrag', async () => {
    const { status, body } = await registerBadly({ redirect_uris: [`${callback}#foo`] })

    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  it('oidcc-registration-jwks-uri, oidcc-ensure-client-assertion-with-iss-aud-succeeds', async () => {
    const byKey = await publishKey('one')
    const client = await suite.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `https://localhost:${publisher.port}/keys`,
    })
    const begun = await suite.requestOf(client)
    const { url } = await suite.visit(await suite.user(), begun.url)

    // The library states the issuer as the audience of its assertion.
    const { claims } = await suite.exchange(client, url as URL, begun, byKey)

    expect(client.client_secret).toBeUndefined()
    expect(claims.aud).toBe(client.client_id)
  })

  it('oidcc-refresh-token-rp-key-rotation', async () => {
    const before = await publishKey('before')
    const client = await suite.register({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks_uri: `https://localhost:${publisher.port}/rotated`,
    })
    const begun = await suite.requestOf(client, { scope: 'openid offline_access' })
    const { url } = await suite.visit(await suite.user(), begun.url)
    const { tokens } = await suite.exchange(client, url as URL, begun, before)
    const after = await publishKey('after')
    // Keys that were just read are not read again within seconds.
    suite.auth.clock.advance(60)
    const refresh = async (by: oauth.ClientAuth, token = '') => {
      const { server, inProcess } = suite
      const answer = await oauth.refreshTokenGrantRequest(server, client, by, token, inProcess)
      return oauth.processRefreshTokenResponse(server, client, answer)
    }

    const renewed = await refresh(after, tokens.refresh_token)

    expect(renewed.access_token).toMatch(/./)
    // `invalid_client`, with a challenge.
    await expect(refresh(before, renewed.refresh_token)).rejects.toMatchObject({ status: 401 })
  })

  it('oidcc-refresh-token', async () => {
    const client = await suite.register()
    const user = await suite.user()
    const verified = await suite.signIn(client, user, { scope: 'openid offline_access' })
    const answer = await oauth.refreshTokenGrantRequest(
      suite.server,
      client,
      suite.authenticationOf(client),
      verified.tokens.refresh_token ?? '',
      suite.inProcess,
    )
    const tokens = await oauth.processRefreshTokenResponse(suite.server, client, answer)

    expect(await suite.userinfo(client, { ...verified, tokens })).toEqual({ sub: user.id })
  })

  // The page shows no policy and terms, and a logo of the application's own origin only, as
  // specification 8 §4 and issue 40 decide. Unknown members of a registration are ignored.
  it.each([
    ['oidcc-registration-logo-uri', { logo_uri: 'https://client.example.test/logo.png' }],
    ['oidcc-registration-policy-uri', { policy_uri: 'https://client.example.test/policy' }],
    ['oidcc-registration-tos-uri', { tos_uri: 'https://client.example.test/tos' }],
    // Pairwise subjects are not supported, so that the sector has no effect and is not read.
    ['oidcc-registration-sector-uri', { sector_identifier_uri: 'https://client.example.test/s' }],
    ['oidcc-registration-sector-bad', { sector_identifier_uri: 'https://client.example.test/x' }],
    // Responses of userinfo are not signed, and ID tokens never without a signature.
    ['oidcc-userinfo-rs256', { userinfo_signed_response_alg: 'RS256' }],
    ['oidcc-idtoken-unsigned', { id_token_signed_response_alg: 'none' }],
  ])('%s', async (_, metadata) => {
    const client = await suite.register(metadata)
    const user = await suite.user()
    // The response names no member without effect.
    const ignored = Object.keys(metadata).filter((name) => name !== 'logo_uri')
    expect(ignored.filter((name) => name in client)).toEqual([])

    const verified = await suite.signIn(client, user)

    expect(await suite.userinfo(client, verified)).toEqual({ sub: user.id })
    expect(publisher.heard.filter(({ path }) => path === '/s')).toEqual([])
  })

  it.each([
    ['oidcc-request-uri-unsigned', 'request_uri', 'request_uri_not_supported'],
    ['oidcc-request-uri-signed-rs256', 'request_uri', 'request_uri_not_supported'],
    ['oidcc-ensure-request-object-with-redirect-uri', 'request', 'request_not_supported'],
  ])('%s', async (_, name, error) => {
    const client = await suite.register()
    const value = `https://localhost:${publisher.port}/request.jwt`
    const { url } = await suite.requestOf(client, { [name]: value })

    expect(errorOf(await suite.visit(await suite.user(), url))).toBe(error)
    expect(publisher.heard.filter(({ path }) => path === '/request.jwt')).toEqual([])
  })

  it('oidcc-server-rotate-keys', async () => {
    const { d, p, q, dp, dq, qi, ...publicKey } = firstKey as unknown as Record<string, unknown>
    const keys = [signingKey('second'), { ...publicKey, key_ops: ['verify'] } as never]
    const rotated = await suite.auth.beside({ jwt: { keys, issuer, secret: testSecret } })
    const { body } = await rotated.request('GET', '/auth/.well-known/jwks.json')
    await rotated.close()

    expect(body.keys.map(({ kid }: { kid: string }) => kid)).toEqual(['second', 'first'])
    expect([d, p, q, dp, dq, qi].every((one) => typeof one === 'string')).toBe(true)
    expect(JSON.stringify(body)).not.toContain(String(d))
  })
})
