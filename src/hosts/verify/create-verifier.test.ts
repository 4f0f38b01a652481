import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { startTestAuth } from '../../../test/support/test-auth.ts'
import { type JwsAlgorithm, signJws } from '../../platform/kit/jws.ts'
import { createVerifier, type VerifierOptions } from './create-verifier.ts'

const issuer = 'https://auth.example.test'
const otherIssuer = `iss is not the issuer: expected "${issuer}", the token has`
const second = 1_800_000_000
const now = () => new Date(second * 1000)
const claims = { iss: issuer, sub: 'ada', aud: 'authenticated', exp: second + 60 }

interface Pair {
  algorithm: JwsAlgorithm
  key: KeyObject
  jwk: object
}

const pairOf = (
  algorithm: JwsAlgorithm,
  kid: string,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): Pair => ({
  algorithm,
  key: privateKey,
  jwk: { ...publicKey.export({ format: 'jwk' }), alg: algorithm, kid, use: 'sig' },
})
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pairs = {
  rs256: pairOf('RS256', 'rs256', rsa),
  rs512: pairOf('RS512', 'rs512', rsa),
  es256: pairOf('ES256', 'es256', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  es512: pairOf('ES512', 'es512', generateKeyPairSync('ec', { namedCurve: 'P-521' })),
  eddsa: pairOf('EdDSA', 'eddsa', generateKeyPairSync('ed25519')),
}
const jwks = { keys: Object.values(pairs).map(({ jwk }) => jwk) }

const sign = (over: object = {}, header: Record<string, unknown> = {}, pair: Pair = pairs.es256) =>
  signJws(
    pair,
    { typ: 'JWT', kid: pair.algorithm.toLowerCase(), ...header },
    { ...claims, ...over },
  )

const rejection = async (token: string, options: Partial<VerifierOptions> = {}) => {
  const { verify } = createVerifier({ issuer, jwks, now, ...options })
  return verify(token).then(
    () => 'accepted',
    ({ code, message }) => `${code}: ${message}`,
  )
}

describe('createVerifier', () => {
  it('rejects tokens of OAuth clients, except those for a resource, and tokens that need a proof (S77)', async () => {
    const resource = 'https://mcp.example.test/mcp'
    const ofClient = { client_id: 'client', scope: 'email' }
    const forResource = [{ ...ofClient, aud: resource }, { typ: 'at+jwt' }] as const

    expect(await rejection(await sign(ofClient))).toBe('bad_jwt: the token is of an OAuth client')
    // A token of the client itself.
    expect(await rejection(await sign({ ...ofClient, sub: 'client' }, { typ: 'at+jwt' }))).toBe(
      'bad_jwt: the token is of an OAuth client',
    )
    expect(await rejection(await sign(ofClient), { acceptsClients: true })).toBe('accepted')
    expect(await rejection(await sign(...forResource), { audience: resource })).toBe('accepted')
    expect(await rejection(await sign(...forResource))).toBe('bad_jwt: aud is not accepted')
    for (const options of [{}, { acceptsClients: true }]) {
      const token = await sign({ cnf: { jkt: 'x' } })
      expect(await rejection(token, options)).toBe('bad_jwt: the token is bound to a key')
    }
  })

  it.each(Object.values(pairs))('accepts $algorithm', async (pair) => {
    const { verify } = createVerifier({ issuer, jwks, now })

    expect(await verify(await sign({}, {}, pair))).toEqual(claims)
    expect(await verify(await sign({}, { kid: undefined }, pair))).toEqual(claims)
  })

  it('leaves out keys that the runtime does not accept, unless there is no other', async () => {
    const token = await sign()
    const [first] = jwks.keys
    const broken = [
      { kty: 'EC', alg: 'ES256' },
      { ...first, alg: 'EdDSA', crv: 'none' },
    ]

    expect(await rejection(token, { jwks: { keys: [...broken, ...jwks.keys] } })).toBe('accepted')
    expect(await rejection(token, { jwks: { keys: broken } })).toMatch(/^keys_unavailable: /)
  })

  it('accepts HS256 with the secret of the service only', async () => {
    const secret = 'a secret of at least thirty-two bytes'
    const pair = { algorithm: 'HS256', key: createSecretKey(secret, 'utf8') } as const
    const token = await signJws(pair, { typ: 'JWT' }, claims)
    const oct = {
      keys: [{ kty: 'oct', alg: 'HS256', k: Buffer.from(secret).toString('base64url') }],
    }

    expect(await createVerifier({ issuer, secret, now }).verify(token)).toEqual(claims)
    for (const keys of [jwks, oct, { keys: [] }])
      expect(await rejection(token, { jwks: keys })).toMatch(/^bad_jwt: .*needs the option secret$/)
    const other = { jwks: undefined, secret: `${secret}!` }
    expect(await rejection(token, other)).toBe('bad_jwt: the signature is invalid')
  })

  it.each<[string, object, string]>([
    ['of another issuer', { iss: `${issuer}/` }, `${otherIssuer} "${issuer}/"`],
    ['whose issuer is null', { iss: null }, `${otherIssuer} null`],
    ['whose issuer is no text', { iss: { toString: 1 } }, `${otherIssuer} {"toString":1}`],
    [
      'whose issuer is long, and not printable',
      { iss: `\u202e\n${'x'.repeat(200)}` },
      `${otherIssuer} "?\\n${'x'.repeat(96)}`,
    ],
    ['of an operator', { sub: undefined, role: 'service_role' }, 'the token names no user'],
    ['that ends now', { exp: second }, 'the token has expired'],
    ['without an end', { exp: undefined }, 'the token has expired'],
    ['whose end is text', { exp: String(second + 60) }, 'the token has expired'],
    ['that begins later', { nbf: second + 1 }, 'the token is not valid yet'],
    ['of another audience', { aud: ['staff'] }, 'aud is not accepted'],
    ['without an audience', { aud: undefined }, 'aud is not accepted'],
  ])('rejects a token %s', async (_, over, reason) => {
    expect(await rejection(await sign(over))).toBe(`bad_jwt: ${reason}`)
  })

  it.each<[string, object, string]>([
    ['a critical extension', { crit: ['b64'] }, 'the token has a critical header extension'],
    ['another type', { typ: 'refresh' }, 'typ is not accepted'],
    ['no signature algorithm', { alg: 'none' }, 'the signature is invalid'],
    ['the algorithm of another key', { alg: 'RS256' }, 'the signature is invalid'],
    ['a member of Object', { alg: 'constructor' }, 'the signature is invalid'],
    ['an unknown key', { kid: 'other' }, 'the signature is invalid'],
    ['the id of another key', { kid: 'eddsa' }, 'the signature is invalid'],
  ])('rejects a header with %s', async (_, header, reason) => {
    expect(await rejection(await sign({}, header as Record<string, unknown>))).toBe(
      `bad_jwt: ${reason}`,
    )
  })

  it('rejects values that are not access tokens', async () => {
    const token = await sign()
    const [head, body, signature] = token.split('.')
    const malformed = ['a.b', `${head}.${body}.`, `${token}.a`, `${head}..${signature}`, 5]
    const changed = `${head}.${Buffer.from(JSON.stringify({ ...claims, sub: 'bob' })).toString('base64url')}.${signature}`

    for (const text of [...malformed, 'x'.repeat(40_000), `${token}=`]) {
      expect(await rejection(text as string)).toBe('bad_jwt: the token is malformed')
    }
    for (const missing of ['', null, undefined]) {
      expect(await rejection(missing as never)).toBe('bad_jwt: the token is missing')
    }
    expect(await rejection(changed)).toBe('bad_jwt: the signature is invalid')
  })

  it('fetches an unknown key once in 30 seconds, however many tokens name one', async () => {
    let [time, requests, keys] = [second * 1000, 0, [pairs.es256.jwk]]
    const { verify } = createVerifier({
      issuer,
      now: () => new Date(time),
      fetch: async (url) => {
        expect(url).toBe(`${issuer}/.well-known/jwks.json`)
        requests += 1
        return Response.json({ keys })
      },
    })
    const outcome = async (token: string) =>
      verify(token).then(
        () => true,
        () => false,
      )
    const next = await sign({}, {}, pairs.eddsa)

    const first = await Promise.all([outcome(await sign()), outcome(await sign())])
    keys = [pairs.eddsa.jwk]
    const early = await Promise.all(Array.from({ length: 20 }, () => outcome(next)))
    time += 30_000
    const later = [await outcome(next), await outcome(await sign())]

    expect([first, new Set(early), later, requests]).toEqual([
      [true, true],
      new Set([false]),
      [true, false],
      2,
    ])
  })

  it('fetches a new key after the clock was set back', async () => {
    let [time, keys] = [second * 1000, [pairs.es256.jwk]]
    const { verify } = createVerifier({
      issuer,
      now: () => new Date(time),
      fetch: async () => Response.json({ keys }),
    })
    await verify(await sign())

    time -= 3_600_000
    keys = [pairs.eddsa.jwk]
    const claims = { iat: second - 3600 }
    expect(await verify(await sign(claims, {}, pairs.eddsa))).toMatchObject({ sub: 'ada' })
    await expect(verify(await sign(claims))).rejects.toMatchObject({ code: 'bad_jwt' })
  })

  it('uses cached keys for an hour while they cannot be fetched, then rejects', async () => {
    let [time, isDown] = [second * 1000, false]
    const { verify } = createVerifier({
      issuer,
      now: () => new Date(time),
      fetch: async () => (isDown ? new Response('', { status: 500 }) : Response.json(jwks)),
    })
    const token = await sign({ exp: second + 10_000 })
    await verify(token)

    isDown = true
    time += 3_599_000
    expect(await verify(token)).toMatchObject({ sub: 'ada' })
    time += 1_000
    await expect(verify(token)).rejects.toMatchObject({ code: 'keys_unavailable' })
    isDown = false
    time += 2_000
    expect(await verify(token)).toMatchObject({ sub: 'ada' })
  })

  it.each([
    ['a redirect', () => new Response(null, { status: 302, headers: { location: '/other' } })],
    ['more than 64 KiB', () => new Response(' '.repeat(70_000))],
    ['other JSON', () => Response.json([])],
  ])('does not accept %s for the keys', async (_, answer) => {
    const reason = await rejection(await sign(), { jwks: undefined, fetch: async () => answer() })

    expect(reason).toBe('keys_unavailable: the keys of the issuer are not available')
  })

  it.each([
    'http://auth.example.com',
    'http://203.0.113.7',
    'http://[2001:db8::1]',
    'http://127.0.0.1.example.com',
    'http://internal.example.com',
    'file:///keys.json',
  ])('S63: does not fetch keys from %s, where a network between could replace them', (url) => {
    const error = /^jwks must be a URL of https/
    expect(() => createVerifier({ issuer, jwks: url })).toThrow(error)
    expect(() => createVerifier({ issuer: url })).toThrow(error)
  })

  it.each([
    'https://auth.example.com',
    'http://localhost:8081',
    'http://127.0.0.1:8081',
    'http://172.20.0.3:8081',
    'http://[::1]:8081',
    'http://auth:8081',
    'http://auth.default.svc.cluster.local',
  ])('accepts keys of %s', (url) => {
    expect(() => createVerifier({ issuer: url })).not.toThrow()
  })

  it('rejects every token where the clock is invalid', async () => {
    const broken = () => new Date(Number.NaN)

    expect(await rejection(await sign(), { now: broken })).toMatch(/expired/)
  })

  it('verifies tokens of a running service with its published keys', async () => {
    const auth = await startTestAuth({
      jwt: {},
      encryptionKey: 'an encryption key of 32 bytes or more',
    })
    const { accessToken } = await auth.given.session('verified@example.test')
    const verifier = createVerifier({
      issuer: 'http://auth.test',
      now: () => auth.clock.now(),
      fetch: async () => auth.auth.fetch(new Request('http://auth.test/.well-known/jwks.json')),
    })

    const verified = await verifier.verify(accessToken)
    await auth.close()

    expect(verified).toMatchObject({ email: 'verified@example.test', role: 'authenticated' })
  })

  it('has at most 5 KB, gzipped, and imports nothing', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [`${import.meta.dirname}/create-verifier.ts`],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
      metafile: true,
    })

    expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThanOrEqual(5_000)
    expect(Object.keys(metafile.inputs)).toHaveLength(1)
  })
})
