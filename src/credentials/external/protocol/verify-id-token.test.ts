import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  discoveryPath,
  type IssuerKey,
  issuerKey,
  keysPath,
  type OpenIdIssuer,
  publicJwk,
  signAs,
  signBySecret,
  startOpenIdIssuer,
} from '../../../../test/support/openid-issuer.ts'
import { createTestClock, type TestClock } from '../../../../test/support/test-clock.ts'
import type { ProviderClient } from '../../../platform/config/sections/provider-definition.ts'
import { foreignJwsAlgorithms } from '../../../platform/kit/jws.ts'
import { safeFetch } from '../../../platform/kit/safe-fetch.ts'
import { silentLogger } from '../../../platform/observability/logger.ts'
import { createIssuers } from './issuers.ts'
import { jsonReader } from './json-reader.ts'
import {
  type IdTokenToVerify,
  isBadIdToken,
  requireAuthorizedParty,
  verifyIdToken,
} from './verify-id-token.ts'

const client: ProviderClient = {
  clientId: 'app',
  clientIds: ['app', 'app-ios'],
  clientSecret: 'secret',
  redirectUri: 'https://app.example/callback',
  url: null,
}

const all = foreignJwsAlgorithms.map((alg) => issuerKey(alg, `key-${alg}`))
const [main] = all as [IssuerKey]

let server: OpenIdIssuer
let other: OpenIdIssuer
let clock: TestClock
let needs: Parameters<typeof verifyIdToken>[0]

beforeAll(async () => {
  server = await startOpenIdIssuer(all)
  other = await startOpenIdIssuer([issuerKey('RS256', 'key-RS256')])
})
afterAll(() => Promise.all([server.close(), other.close()]))

let published: OpenIdIssuer['documents']
beforeEach(() => {
  published ??= { ...server.documents }
  Object.assign(server.documents, published)
  server.heard.length = 0
  clock = createTestClock()
  const access = { fetch: safeFetch, timeoutMs: 500 }
  needs = {
    clock,
    issuers: createIssuers({
      ...access,
      clock,
      logger: silentLogger,
      storage: null,
      cacheLifetimeMs: 3_600_000,
    }),
  }
})

const seconds = () => Math.floor(clock.now().getTime() / 1000)

const usualClaims = () => ({
  iss: server.issuer,
  sub: 'ada',
  aud: 'app',
  iat: seconds(),
  exp: seconds() + 600,
  nonce: 'once',
})

const tokenOf = (changes: object = {}, key: IssuerKey = main) =>
  signAs(key, { ...usualClaims(), ...changes })

const verify = (idToken: string | null, changes: Partial<IdTokenToVerify> = {}) =>
  verifyIdToken(needs, {
    idToken,
    accessToken: null,
    rules: { issuerOf: (issuer) => (issuer === server.issuer ? issuer : null) },
    client,
    audiences: ['app'],
    nonce: 'once',
    requiresNonce: true,
    ...changes,
  })

/** Returns why a token was rejected; fails when it was accepted, or another error was thrown. */
async function rejection(idToken: string | null, changes: Partial<IdTokenToVerify> = {}) {
  const error = await verify(idToken, changes).then(
    () => null,
    (reason) => reason,
  )
  if (!isBadIdToken(error)) throw new Error('it was not rejected', { cause: error })
  return error.message
}

describe('a token of the issuer', () => {
  it.each(all)('is accepted with $alg', async (key) => {
    const claims = await verify(tokenOf({}, key))

    expect(claims.text('sub')).toBe('ada')
  })

  it('requests the issuer once for concurrent verifications, and not again while copies are fresh', async () => {
    await Promise.all(Array.from({ length: 10 }, () => verify(tokenOf())))
    clock.advance(3500)
    await verify(tokenOf())

    expect(server.heard.map(({ path }) => path)).toEqual([discoveryPath, keysPath])
  })

  it('is accepted without kid with any suitable key', async () => {
    const token = signAs(main, usualClaims(), { kid: undefined })

    expect((await verify(token)).text('sub')).toBe('ada')
  })

  it('is verified by a key beside unusable ones', async () => {
    const broken = [
      { kty: 'RSA', kid: main.kid, n: 'AQ', e: 'AQAB' },
      { kty: 'oct', kid: main.kid, k: 'AAAA' },
      { kty: 'EC', crv: 'none', kid: main.kid },
      'text',
      null,
      { ...publicJwk(main), use: 'enc' },
    ]
    server.documents[keysPath] = { keys: [...broken, publicJwk(main)] }

    expect((await verify(tokenOf())).text('sub')).toBe('ada')
  })
})

describe('T29: the signature', () => {
  const [header, payload] = ['{"alg":"none"}', '{"sub":"ada"}'].map((text) =>
    Buffer.from(text).toString('base64url'),
  )

  it.each([
    ['nothing', null],
    ['an empty text', ''],
    ['no token', 'a.b.c'],
    ['no signature', `${header}.${payload}.`],
    ['a huge token', `${header}.${Buffer.alloc(40_000, 'x').toString('base64url')}.c2ln`],
  ])('is required: %s is rejected', async (_case, text) => {
    expect(await rejection(text)).toBe('id token is missing or no token')
    expect(server.heard).toEqual([])
  })

  it('must be by the key with the kid of the token', async () => {
    const [start, , signature] = tokenOf().split('.')
    const [, others] = tokenOf({ sub: 'eve' }).split('.')
    const foreign = issuerKey('RS256', main.kid)

    for (const token of [`${start}.${others}.${signature}`, tokenOf({}, foreign)]) {
      expect(await rejection(token)).toBe('id token is not signed by a key of its issuer')
    }
    expect(server.requestsOf(keysPath)).toBe(1)
  })

  it.each([
    [7, true],
    [8, false],
  ])(
    'S142: is compared with eight keys of an issuer; beside %i others: %s',
    async (others, isSigned) => {
      const keys = Array.from({ length: others }, (_, index) =>
        issuerKey('RS256', `other-${index}`),
      )
      server.documents[keysPath] = { keys: [...keys, main].map(publicJwk) }
      const token = signAs(main, usualClaims(), { kid: undefined })

      const subject = await verify(token).then(
        (claims) => claims.text('sub'),
        (error) => error.message,
      )
      expect(subject).toBe(isSigned ? 'ada' : 'id token is not signed by a key of its issuer')
    },
  )

  it('is not `none`', async () => {
    const token = signAs(main, usualClaims(), { alg: 'none' })

    expect(await rejection(token)).toMatch('an algorithm that is not accepted')
  })

  it.each(['HS256', 'HS512', 'RS1', 'ES256K', 'rs256', ['RS256'], 5])(
    'is not %j, even where the issuer lists it',
    async (alg) => {
      const document = published[discoveryPath] as object
      const id_token_signing_alg_values_supported = ['RS256', alg]
      server.documents[discoveryPath] = { ...document, id_token_signing_alg_values_supported }

      const token = signAs(main, usualClaims(), { alg })

      expect(await rejection(token)).toMatch('an algorithm that is not accepted')
    },
  )

  it('is not made with a public key as secret', async () => {
    const pem = main.publicKey.export({ type: 'spki', format: 'pem' })
    const { n = '' } = publicJwk(main)

    for (const secret of [pem, String(n), Buffer.from(String(n), 'base64url')]) {
      const token = signBySecret(secret, usualClaims(), { kid: main.kid })
      expect(await rejection(token)).toMatch('an algorithm that is not accepted')
    }
  })

  it('uses the algorithm of the key', async () => {
    const [rs512] = all.filter(({ alg }) => alg === 'RS512') as [IssuerKey]
    const token = signAs({ ...main, alg: 'RS512' }, usualClaims())
    const named = signAs({ ...main, alg: 'RS512' }, usualClaims(), { kid: rs512.kid })

    expect(await rejection(token)).toMatch('not signed by a key')
    expect(await rejection(named)).toMatch('not signed by a key')
  })

  it('fits the type of the key, where that has no algorithm', async () => {
    server.documents[keysPath] = {
      keys: all.map(publicJwk).map(({ alg: _, ...jwk }) => ({ ...jwk, kid: 'only' })),
    }

    for (const key of all) {
      const token = signAs(key, usualClaims(), { kid: 'only' })
      expect((await verify(token)).text('sub')).toBe('ada')
    }
    const es256 = all.find(({ alg }) => alg === 'ES256') as IssuerKey
    const claimed = signAs(es256, usualClaims(), { kid: 'only', alg: 'ES384' })
    expect(await rejection(claimed)).toMatch('not signed by a key')
  })

  it('uses RS256 where the issuer lists no algorithm', async () => {
    const { id_token_signing_alg_values_supported: _, ...document } = published[
      discoveryPath
    ] as Record<string, unknown>
    server.documents[discoveryPath] = document

    await verify(tokenOf())
    const ps256 = all.find(({ alg }) => alg === 'PS256') as IssuerKey
    expect(await rejection(tokenOf({}, ps256))).toMatch('an algorithm that is not accepted')
  })

  it('is rejected from a short RSA key', async () => {
    const { generateKeyPairSync } = await import('node:crypto')
    const short = {
      kid: 'short',
      alg: 'RS256',
      ...generateKeyPairSync('rsa', { modulusLength: 1024 }),
    }
    server.documents[keysPath] = { keys: [publicJwk(short)] }

    expect(await rejection(tokenOf({}, short))).toMatch('not signed by a key')
  })

  it.each([
    [{ crit: ['b64'] }, 'crit'],
    [{ typ: 'at+jwt' }, 'type'],
    [{ typ: 'logout+jwt' }, 'type'],
    [{ kid: 5 }, 'kid'],
  ])('T28: rejects header %j', async (header, reason) => {
    expect(await rejection(signAs(main, usualClaims(), header))).toMatch(reason)
  })
})

describe('T12: the issuer', () => {
  it('is requested only where the provider accepts it', async () => {
    other.heard.length = 0
    const [key] = other.keys as [IssuerKey]

    expect(await rejection(tokenOf({ iss: other.issuer }, key))).toBe(
      'id token is of an issuer that is not accepted',
    )
    expect(await rejection(tokenOf({ iss: undefined }))).toBe('id token has no iss')
    expect(await rejection(tokenOf({ iss: [server.issuer] }))).toBe('id token has no iss')
    expect(other.heard).toEqual([])
    expect(server.heard).toEqual([])
  })

  it('signs with its own keys, not with keys of another tenant', async () => {
    const rules = { issuerOf: (issuer: string) => issuer }
    const [key] = other.keys as [IssuerKey]
    const token = tokenOf({ iss: server.issuer }, key)

    expect(await rejection(token, { rules })).toMatch('not signed by a key')
    const own = tokenOf({ iss: other.issuer }, key)
    expect((await verify(own, { rules })).text('iss')).toBe(other.issuer)
  })

  it('is the one in its document', async () => {
    const document = published[discoveryPath] as object
    server.documents[discoveryPath] = { ...document, issuer: other.issuer }

    await expect(verify(tokenOf())).rejects.toThrow('published an invalid document')
  })

  it('may have another name, where the provider permits it', async () => {
    const document = published[discoveryPath] as object
    server.documents[discoveryPath] = { ...document, issuer: 'https://account.example' }
    const names = ['https://account.example', server.issuer]
    const rules = { issuerOf: (name: string) => (names.includes(name) ? server.issuer : null) }

    for (const iss of names) {
      expect((await verify(tokenOf({ iss }), { rules })).text('iss')).toBe(iss)
    }
  })

  it('T43: cannot direct us to another private host for its keys', async () => {
    const document = published[discoveryPath] as object
    const jwks_uri = `${other.issuer}${keysPath}`
    server.documents[discoveryPath] = { ...document, jwks_uri }
    other.heard.length = 0

    await expect(verify(tokenOf())).rejects.toMatchObject({ reason: 'refused-url' })
    expect(other.heard).toEqual([])
  })

  it('T12: is requested once a minute for missing keys', async () => {
    const foreign = () => tokenOf({}, issuerKey('ES256', crypto.randomUUID()))
    const flood = () => Promise.all(Array.from({ length: 20 }, async () => rejection(foreign())))

    await verify(tokenOf())
    await flood()
    expect(server.requestsOf(keysPath)).toBe(1)
    clock.advance(61)
    await flood()
    await flood()
    expect(server.requestsOf(keysPath)).toBe(2)
    expect(server.requestsOf(discoveryPath)).toBe(1)
  })

  it('may have a new key, which is found at once', async () => {
    await verify(tokenOf())
    const next = issuerKey('RS256', 'next')
    server.documents[keysPath] = { keys: [publicJwk(main), publicJwk(next)] }
    clock.advance(61)

    expect((await verify(tokenOf({}, next))).text('sub')).toBe('ada')
    expect(server.requestsOf(keysPath)).toBe(2)
  })

  it('that fails causes a fault, not a bad token', async () => {
    const failing: [string, unknown][] = [
      [discoveryPath, undefined],
      [keysPath, undefined],
      [keysPath, { keys: [] }],
      [keysPath, { keys: 'none' }],
      [keysPath, []],
    ]
    for (const [path, document] of failing) {
      Object.assign(server.documents, published)
      server.documents[path] = document
      clock.advance(6)
      const error = await verify(tokenOf()).catch((reason) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(isBadIdToken(error)).toBe(false)
    }
  })

  it.each([
    ['is slow', () => {}, 'did not respond in time'],
    [
      'redirects',
      (response: import('node:http').ServerResponse) =>
        response.writeHead(302, { location: `${other.issuer}${keysPath}` }).end(),
      'returned 302',
    ],
    [
      'publishes more than 1 MiB',
      (response: import('node:http').ServerResponse) =>
        response.end(JSON.stringify({ keys: ['x'.repeat(1024 * 1024)] })),
      'sent a response that is too large',
    ],
    [
      'publishes no JSON',
      (response: import('node:http').ServerResponse) => response.end('<html>'),
      'not JSON',
    ],
  ])('that %s is abandoned', async (_case, answer, reason) => {
    other.heard.length = 0
    server.documents[keysPath] = answer

    await expect(verify(tokenOf())).rejects.toThrow(reason)
    expect(other.heard).toEqual([])
  })

  it('that fails is replaced by its old copies, for a day at most', async () => {
    await verify(tokenOf())
    server.documents[discoveryPath] = undefined
    server.documents[keysPath] = undefined

    clock.advance(20 * 3600)
    expect((await verify(tokenOf())).text('sub')).toBe('ada')
    await verify(tokenOf())
    expect(server.requestsOf(keysPath)).toBe(2)
    clock.advance(6 * 3600)
    await expect(verify(tokenOf())).rejects.toThrow('returned 404')
  })
})

describe('the audience', () => {
  it.each([
    ['another app', 'other-app'],
    ['nobody', undefined],
    ['no text', { app: true }],
    ['other apps', ['other-app', 5, null]],
  ])('is rejected where it is %s', async (_case, aud) => {
    expect(await rejection(tokenOf({ aud }))).toBe('id token is for another audience')
  })

  it('may be one of several, where the token was issued to our client', async () => {
    const aud = ['api', 'app']

    expect((await verify(tokenOf({ aud, azp: 'app' }))).text('sub')).toBe('ada')
    expect(await rejection(tokenOf({ aud, azp: 'api' }))).toBe(
      'id token was issued to another client',
    )
    expect(await rejection(tokenOf({ aud, azp: ['app'] }))).toMatch('another client')
  })

  it('S04: must not be one of several without an authorized party', async () => {
    for (const aud of [
      ['api', 'app'],
      ['app', 'app'],
      ['app', 5],
      ['app', null],
    ]) {
      for (const azp of [undefined, null, '']) {
        expect(await rejection(tokenOf({ aud, azp }))).toBe('id token was issued to another client')
      }
    }
    expect((await verify(tokenOf({ aud: ['app'] }))).text('sub')).toBe('ada')
  })

  it('S04: must not be the only one where the token was issued to another client', async () => {
    for (const aud of ['app', ['app']]) {
      for (const azp of ['evil', ['app'], 5, {}]) {
        expect(await rejection(tokenOf({ aud, azp }))).toBe('id token was issued to another client')
      }
      for (const azp of ['app', undefined, null, '']) {
        expect((await verify(tokenOf({ aud, azp }))).text('sub')).toBe('ada')
      }
    }
  })

  it('may be the only one where Google writes another app of the project', () => {
    const require = (iss: string, aud: string | string[]) =>
      requireAuthorizedParty(jsonReader({ iss, aud, azp: 'android' }), ['web'])
    for (const iss of ['https://accounts.google.com', 'accounts.google.com']) {
      expect(() => require(iss, 'web')).not.toThrow()
      expect(() => require(iss, ['web', 'api'])).toThrow('another client')
    }
    expect(() => require('https://accounts.google.com.evil.test', 'web')).toThrow('another client')
  })
})

describe('the lifetime', () => {
  it.each([
    ['no end', { exp: undefined }],
    ['an end that is text', { exp: '9999999999' }],
    ['an end that is null', { exp: null }],
  ])('is rejected with %s', async (_case, changes) => {
    expect(await rejection(tokenOf(changes))).toMatch('expired')
    expect(server.heard).toEqual([])
  })

  it('ends at `exp`, to the second', async () => {
    const token = tokenOf({ exp: seconds() + 1 })

    await verify(token)
    clock.advance(1)
    expect(await rejection(token)).toMatch('expired')
  })

  it.each(['nbf', 'iat'])('begins at `%s`, with a leeway of five minutes', async (name) => {
    expect((await verify(tokenOf({ [name]: seconds() + 299 }))).text('sub')).toBe('ada')
    expect(await rejection(tokenOf({ [name]: seconds() + 301 }))).toMatch(name)
    expect(await rejection(tokenOf({ [name]: 'now' }))).toMatch(name)
  })
})

describe('T27: the nonce', () => {
  it('is that of the request', async () => {
    expect(await rejection(tokenOf({ nonce: 'another' }))).toBe('id token has another nonce')
    expect(await rejection(tokenOf({ nonce: ['once'] }))).toBe('id token has another nonce')
    expect(await rejection(tokenOf(), { nonce: null })).toBe('id token has another nonce')
  })

  it('is required where the scope openid was requested', async () => {
    const token = tokenOf({ nonce: undefined })

    expect(await rejection(token)).toBe('id token has no nonce')
    expect((await verify(token, { requiresNonce: false })).text('sub')).toBe('ada')
  })

  it('is not compared where the provider does not repeat it', async () => {
    const rules = { issuerOf: () => server.issuer, lacksNonce: true }

    expect((await verify(tokenOf({ nonce: undefined }), { rules })).text('sub')).toBe('ada')
  })
})

describe('the access token', () => {
  const hashOf = (alg: string, accessToken: string) => {
    const whole = createHash(alg === 'EdDSA' ? 'sha512' : `sha${alg.slice(2)}`)
      .update(accessToken)
      .digest()
    return whole.subarray(0, whole.length / 2).toString('base64url')
  }

  it.each(all)('is the one that $alg signed for', async (key) => {
    const token = tokenOf({ at_hash: hashOf(key.alg, 'access') }, key)

    expect((await verify(token, { accessToken: 'access' })).text('sub')).toBe('ada')
    expect((await verify(token)).text('sub')).toBe('ada')
    expect(await rejection(token, { accessToken: 'other' })).toMatch('another access token')
  })

  it('is rejected where `at_hash` is no text', async () => {
    const token = tokenOf({ at_hash: null })

    expect(await rejection(token, { accessToken: 'access' })).toMatch('another access token')
  })
})

it('is rejected as a logout token (T28)', async () => {
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }

  expect(await rejection(tokenOf({ events }))).toBe('id token contains events')
})
