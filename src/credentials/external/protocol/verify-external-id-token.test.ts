import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  discoveryPath,
  type IssuerKey,
  issuerKey,
  type OpenIdIssuer,
  signAs,
  startOpenIdIssuer,
} from '../../../../test/support/openid-issuer.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import { checkConfig } from '../../../platform/config/check-config.ts'
import type { AuthConfig } from '../../../platform/config/config.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { safeFetch } from '../../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../../platform/observability/logger.ts'
import { openIssuers } from '../open-providers.ts'
import { type SentIdToken, verifyExternalIdToken } from './verify-external-id-token.ts'

// The issuer plays a realm of Keycloak, the provider whose issuer is configured.

const key = issuerKey('RS256', 'key-1')
let server: OpenIdIssuer
let other: OpenIdIssuer
let clock: TestClock

beforeAll(async () => {
  server = await startOpenIdIssuer([key])
  other = await startOpenIdIssuer([issuerKey('RS256', 'key-1')])
})
afterAll(() => Promise.all([server.close(), other.close()]))
beforeEach(() => {
  clock = createTestClock()
})

interface Settings {
  keycloak?: object
  externalSignIn?: AuthConfig['externalSignIn']
}

const providers = { findRegistered: async () => null }

function contextOf({ keycloak, externalSignIn }: Settings = {}) {
  const { config } = checkConfig({
    development: true,
    externalSignIn,
    providers: {
      keycloak: {
        clientId: 'app,app-ios',
        clientSecret: 'secret',
        url: server.issuer,
        ...keycloak,
      },
      github: { clientId: 'app', clientSecret: 'secret' },
    },
  })
  return {
    config,
    clock,
    issuers: openIssuers({ config, clock, logger: silentLogger, fetch: safeFetch }),
    providers,
  }
}

const seconds = () => Math.floor(clock.now().getTime() / 1000)

const tokenOf = (changes: object = {}, by: IssuerKey = key) =>
  signAs(by, {
    iss: server.issuer,
    sub: 'ada-1',
    aud: 'app',
    iat: seconds(),
    exp: seconds() + 600,
    email: 'ada@example.test',
    email_verified: true,
    name: 'Ada',
    ...changes,
  })

const verify = (sent: SentIdToken, settings?: Settings) =>
  verifyExternalIdToken(contextOf(settings), { provider: 'keycloak', ...sent })

async function rejection(sent: SentIdToken, settings?: Settings) {
  const error = await verify(sent, settings).catch((reason) => reason)
  if (!(error instanceof AuthError)) throw new Error('it was not rejected', { cause: error })
  const { code, status, message, details, cause } = error
  return { code, status, message, word: details.oauthError, cause }
}

const hashed = (nonce: string) => createHash('sha256').update(nonce).digest('hex')

describe('an id token', () => {
  it('identifies its user', async () => {
    const { provider, profile } = await verify({ idToken: tokenOf() })

    expect([provider.name, provider.label]).toEqual(['keycloak', 'Keycloak'])
    expect(profile).toMatchObject({
      subject: 'ada-1',
      emails: [{ address: 'ada@example.test', isVerified: true }],
      claims: { iss: server.issuer, name: 'Ada', aud: ['app'], exp: seconds() + 600 },
    })
  })

  it('may be for any client of the provider', async () => {
    const { profile } = await verify({ idToken: tokenOf({ aud: 'app-ios' }) })

    expect(profile.subject).toBe('ada-1')
  })

  it('may select its provider by the issuer', async () => {
    const named = { provider: undefined, issuer: server.issuer, clientId: 'any' }

    expect((await verify({ ...named, idToken: tokenOf() })).provider.name).toBe('keycloak')
    const forAnother = { ...named, idToken: tokenOf({ aud: 'any' }) }
    expect((await rejection(forAnother)).message).toBe('Unacceptable audience in id_token: [any]')
  })
})

describe('an id token is rejected', () => {
  it.each<[string, () => SentIdToken, string]>([
    ['when it is missing', () => ({}), 'id_token required'],
    ['when it is empty', () => ({ idToken: '' }), 'id_token required'],
    [
      'without a provider',
      () => ({ idToken: tokenOf(), provider: undefined }),
      'provider or client_id and issuer required',
    ],
    [
      'with an issuer and no client',
      () => ({ idToken: tokenOf(), provider: '', issuer: server.issuer }),
      'provider or client_id and issuer required',
    ],
    ['when it is no token', () => ({ idToken: 'a.b.c' }), 'Bad ID token'],
    ['when it is expired', () => ({ idToken: tokenOf({ exp: seconds() }) }), 'Bad ID token'],
    [
      'when it is of another issuer',
      () => ({ idToken: tokenOf({ iss: other.issuer }) }),
      'Bad ID token',
    ],
    [
      'when it is signed by another issuer',
      () => ({ idToken: tokenOf({}, other.keys[0]) }),
      'Bad ID token',
    ],
    [
      'when it belongs to another access token',
      () => ({ idToken: tokenOf({ at_hash: 'AAAA' }), accessToken: 'access' }),
      'Bad ID token',
    ],
    [
      'when it was issued to another client',
      () => ({ idToken: tokenOf({ aud: ['app', 'api'], azp: 'api' }) }),
      'Bad ID token',
    ],
    [
      'S04: when another client requested it for this one',
      () => ({ idToken: tokenOf({ azp: 'evil', scope: 'openid' }) }),
      'Bad ID token',
    ],
    [
      'S04: when it is for several clients and names no authorized party',
      () => ({ idToken: tokenOf({ aud: ['app', 'api'] }) }),
      'Bad ID token',
    ],
    [
      'without a subject',
      () => ({ idToken: tokenOf({ sub: undefined }) }),
      'Missing sub claim in id_token',
    ],
    [
      'with an empty subject',
      () => ({ idToken: tokenOf({ sub: '' }) }),
      'Missing sub claim in id_token',
    ],
    [
      'with a number as subject',
      () => ({ idToken: tokenOf({ sub: 5 }) }),
      'Missing sub claim in id_token',
    ],
    [
      'when it is for other clients',
      () => ({ idToken: tokenOf({ aud: ['one', 'two'] }) }),
      'Unacceptable audience in id_token: [one two]',
    ],
    [
      'without an audience',
      () => ({ idToken: tokenOf({ aud: undefined }) }),
      'Unacceptable audience in id_token: []',
    ],
    [
      'with a nonce that the request does not know',
      () => ({ idToken: tokenOf({ nonce: hashed('raw') }) }),
      'Passed nonce and nonce in id_token should either both exist or not.',
    ],
    [
      'without the nonce of the request',
      () => ({ idToken: tokenOf(), nonce: 'raw' }),
      'Passed nonce and nonce in id_token should either both exist or not.',
    ],
  ])('%s, in the form of OAuth', async (_case, sent, message) => {
    const refused = await rejection(sent())

    expect(refused).toMatchObject({ status: 400, message, word: 'invalid request' })
    expect(['validation_failed', 'invalid_credentials']).toContain(refused.code)
  })

  it.each([
    ['github', 'Custom OIDC provider "github" not allowed'],
    ['nobody', 'Custom OIDC provider not allowed'],
    ['Keycloak', 'Custom OIDC provider not allowed'],
    ['__proto__', 'Custom OIDC provider not allowed'],
  ])('of provider %s', async (provider, message) => {
    const refused = await rejection({ provider, idToken: tokenOf() })

    expect(refused).toMatchObject({ code: 'validation_failed', status: 400, message })
    expect(refused.word).toBeUndefined()
  })

  it('of a disabled provider', async () => {
    const off = { keycloak: { enabled: false } }
    const byIssuer = { provider: '', issuer: server.issuer, clientId: 'app', idToken: tokenOf() }

    expect(await rejection({ idToken: tokenOf() }, off)).toMatchObject({
      code: 'provider_disabled',
    })
    expect(await rejection(byIssuer, off)).toMatchObject({
      code: 'provider_disabled',
      message: `Provider (issuer "${server.issuer}") is not enabled`,
    })
  })

  it('with 503, while its issuer does not respond', async () => {
    const document = server.documents[discoveryPath]
    server.documents[discoveryPath] = undefined
    const refused = await rejection({ idToken: tokenOf() })
    server.documents[discoveryPath] = document

    expect(refused).toMatchObject({ code: 'service_unavailable', status: 503 })
    expect(refused.cause).toBeInstanceOf(Error)
  })
})

describe('the nonce', () => {
  it('of the request is the one whose SHA-256 the provider received', async () => {
    const idToken = tokenOf({ nonce: hashed('raw') })

    expect((await verify({ idToken, nonce: 'raw' })).profile.subject).toBe('ada-1')
    expect(await rejection({ idToken, nonce: 'other' })).toMatchObject({
      message: 'Nonces mismatch',
      word: 'invalid nonce',
    })
    expect(await rejection({ idToken, nonce: hashed('raw') })).toMatchObject({
      word: 'invalid nonce',
    })
  })

  it('is not compared where the configuration disables it', async () => {
    const skipping = { keycloak: { skipNonceCheck: true } }

    const { profile } = await verify({ idToken: tokenOf({ nonce: 'unknown' }) }, skipping)

    expect(profile.subject).toBe('ada-1')
  })
})

describe('an issuer without a provider', () => {
  const allowed = () => ({
    externalSignIn: { allowedIdTokenIssuers: { [other.issuer]: ['mobile', 'desktop'] } },
  })
  const sent = (changes: object = {}): SentIdToken => ({
    provider: '',
    issuer: other.issuer,
    clientId: 'mobile',
    idToken: tokenOf({ iss: other.issuer, aud: 'mobile', ...changes }, other.keys[0]),
  })

  it('is requested only where it is allowed', async () => {
    other.heard.length = 0

    expect(await rejection(sent())).toMatchObject({
      code: 'validation_failed',
      message: 'Custom OIDC provider not allowed',
    })
    expect(other.heard).toEqual([])
  })

  it('verifies under its own name, for a configured client', async () => {
    const { provider, profile } = await verify(sent(), allowed())

    expect([provider.name, profile.subject]).toEqual([other.issuer, 'ada-1'])
    expect((await rejection(sent({ aud: 'app' }), allowed())).message).toMatch(
      'Unacceptable audience',
    )
    expect((await rejection({ ...sent(), idToken: tokenOf() }, allowed())).message).toBe(
      'Bad ID token',
    )
  })

  it('S04: accepts no token for another application of that issuer, whatever the request contains', async () => {
    const foreign = sent({ aud: 'foreign-app', email: 'ada@example.test', email_verified: true })
    const [key] = other.keys
    const several = tokenOf(
      { iss: other.issuer, aud: ['foreign-app', 'mobile'], azp: 'foreign-app' },
      key,
    )

    const refusals = [
      await rejection({ ...foreign, clientId: 'foreign-app' }, allowed()),
      await rejection({ ...foreign, clientId: 'mobile' }, allowed()),
      await rejection({ ...sent(), clientId: 'desktop' }, allowed()),
      await rejection({ ...sent(), idToken: several }, allowed()),
    ]

    expect(refusals.map(({ code }) => code)).toEqual(Array(4).fill('invalid_credentials'))
    expect(refusals.slice(0, 2).map(({ message }) => message)).toEqual(
      Array(2).fill('Unacceptable audience in id_token: [foreign-app]'),
    )
    expect((await verify(sent(), allowed())).profile.subject).toBe('ada-1')
  })

  it('S04: is no inherited member of the settings object', async () => {
    const unknown = { ...sent(), issuer: '__proto__' }

    expect((await rejection(unknown, allowed())).message).toBe('Custom OIDC provider not allowed')
    expect((await rejection({ ...sent(), issuer: 'constructor' }, allowed())).code).toBe(
      'validation_failed',
    )
  })

  it('does not replace a provider', async () => {
    const both = { externalSignIn: { allowedIdTokenIssuers: { [server.issuer]: ['mobile'] } } }
    const token = { provider: '', issuer: server.issuer, clientId: 'mobile' }

    const refused = await rejection({ ...token, idToken: tokenOf({ aud: 'mobile' }) }, both)

    expect(refused.message).toBe('Unacceptable audience in id_token: [mobile]')
  })
})
