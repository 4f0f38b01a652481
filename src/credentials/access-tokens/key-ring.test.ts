import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeJws, signJws } from '../../platform/kit/jws.ts'
import { configuredKeyRing, type KeyRing } from './key-ring.ts'
import { verifyAccessToken } from './verify-access-token.ts'

const terms = { now: new Date('2026-03-01T12:00:00Z'), issuer: null }

const rsa = makeJwk('rsa', { kid: 'rsa-1', alg: 'RS256' })
const rsaLong = makeJwk('rsa', { kid: 'rsa-2', alg: 'RS512' })
const ec = makeJwk('P-256', { kid: 'ec-1' })
const ec521 = makeJwk('P-521', { kid: 'ec-2' })
const ed = makeJwk('ed25519', { kid: 'ed-1' })
const oct: JsonWebKey = {
  kty: 'oct',
  kid: 'oct-1',
  k: Buffer.from('a shared secret of a JSON Web Key').toString('base64url'),
}

function makeJwk(kind: 'rsa' | 'P-256' | 'P-521' | 'ed25519', extra: JsonWebKey): JsonWebKey {
  const { privateKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : kind === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: kind })
  return { ...privateKey.export({ format: 'jwk' }), ...extra }
}

const signing = (jwk: JsonWebKey): JsonWebKey => ({ ...jwk, key_ops: ['sign', 'verify'] })

function ringOf(given: Partial<Parameters<typeof configuredKeyRing>[0]>): KeyRing {
  const ring = configuredKeyRing({ secrets: [], keys: null, keyId: null, ...given })
  if (!ring) throw new Error('no key is configured')
  return ring
}

const headerOf = (token: string) => decodeJws(token)?.header

const accepts = (ring: KeyRing, token: string): Promise<boolean> =>
  verifyAccessToken(ring, token, terms).then(
    () => true,
    () => false,
  )

describe('shared secrets', () => {
  it('sign with the first and verify with all', async () => {
    const before = ringOf({ secrets: ['the old secret of thirty-two bytes'] })
    const after = ringOf({
      secrets: ['the new secret of thirty-two bytes', 'the old secret of thirty-two bytes'],
    })
    const [old, fresh] = [await before.sign({ sub: 'ada' }), await after.sign({ sub: 'ada' })]

    expect([
      await accepts(after, old),
      await accepts(after, fresh),
      await accepts(before, fresh),
    ]).toEqual([true, true, false])
  })

  it('contain the key id JWT_KEY_ID where it is set', async () => {
    const secrets = ['a secret of at least thirty-two bytes']
    const [named, unnamed] = [ringOf({ secrets, keyId: 'key-1' }), ringOf({ secrets })]
    const tokens = [await named.sign({ sub: 'ada' }), await unnamed.sign({ sub: 'ada' })]

    expect(tokens.map(headerOf)).toEqual([
      { alg: 'HS256', typ: 'JWT', kid: 'key-1' },
      { alg: 'HS256', typ: 'JWT' },
    ])
    const verdicts = tokens.flatMap((token) => [accepts(named, token), accepts(unnamed, token)])

    expect(await Promise.all(verdicts)).toEqual([true, true, true, true])
  })

  it('are never published', () => {
    const ring = ringOf({
      secrets: ['a secret of at least thirty-two bytes'],
      keys: [signing(oct)],
    })

    expect(ring.published()).toEqual([])
  })
})

describe.each([
  ['RS256', rsa],
  ['RS512', rsaLong],
  ['ES256', ec],
  ['ES512', ec521],
  ['EdDSA', ed],
  ['HS256', oct],
])('a %s key among JWT_KEYS', (algorithm, jwk) => {
  it('signs when its key_ops contain sign, and its kid is in the header', async () => {
    const others = [rsa, ec, ed].filter((other) => other !== jwk)
    const ring = ringOf({ keys: [...others, signing(jwk)] })

    const token = await ring.sign({ sub: 'ada' })

    expect(headerOf(token)).toEqual({ alg: algorithm, typ: 'JWT', kid: jwk['kid'] })
    expect(await accepts(ring, token)).toBe(true)
  })

  it('verifies when another one signs', async () => {
    const token = await ringOf({ keys: [signing(jwk)] }).sign({ sub: 'ada' })
    const later = ringOf({ keys: [signing(makeJwk('ed25519', { kid: 'newest' })), jwk] })

    expect(await accepts(later, token)).toBe(true)
  })

  it('is the only one that verifies a token with its kid', async () => {
    const token = await ringOf({ keys: [signing(jwk)] }).sign({ sub: 'ada' })
    const renamed = ringOf({ keys: [signing({ ...jwk, kid: 'another-name' })] })

    // A shared secret is tried for any kid, a public key is not.
    expect(await accepts(renamed, token)).toBe(algorithm === 'HS256')
  })
})

describe('keys of mixed kinds', () => {
  it('publish public keys only, each with its kid, algorithm and use', () => {
    const published = ringOf({
      keys: [signing(rsa), ec, ed, oct],
      secrets: ['a secret of at least thirty-two bytes'],
    }).published()

    expect(published.map(({ kid, alg, use, key_ops }) => ({ kid, alg, use, key_ops }))).toEqual([
      { kid: 'rsa-1', alg: 'RS256', use: 'sig', key_ops: ['verify'] },
      { kid: 'ec-1', alg: 'ES256', use: 'sig', key_ops: ['verify'] },
      { kid: 'ed-1', alg: 'EdDSA', use: 'sig', key_ops: ['verify'] },
    ])
    for (const jwk of published) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'])
        expect(jwk).not.toHaveProperty(secret)
    }
  })

  it('still verify tokens of the shared secret', async () => {
    const secrets = ['a secret of at least thirty-two bytes']
    const token = await ringOf({ secrets }).sign({ sub: 'ada' })

    expect(await accepts(ringOf({ secrets, keys: [signing(rsa)] }), token)).toBe(true)
    expect(await accepts(ringOf({ keys: [signing(rsa)] }), token)).toBe(false)
  })

  it('reject a token whose kid is that of a key with another algorithm (T29)', async () => {
    const ring = ringOf({ keys: [signing(rsa), ec] })
    const key = createPrivateKey({ key: rsa, format: 'jwk' })
    const sign = (alg: string) =>
      signJws({ algorithm: 'RS256', key }, { alg, kid: 'rsa-1' }, { sub: 'ada' })

    expect(await accepts(ring, await sign('RS256'))).toBe(true)
    for (const alg of ['HS256', 'RS512', 'ES256', 'none']) {
      expect(await accepts(ring, await sign(alg))).toBe(false)
    }
  })

  it('reject a key with an algorithm that does not fit it', () => {
    const wrong = [
      { ...rsa, alg: 'HS256' },
      { ...rsa, alg: 'ES256' },
      { ...ec, alg: 'ES512' },
      { ...ec, alg: 'none' },
      { ...oct, alg: 'RS256' },
      { ...makeJwk('P-256', {}), crv: 'P-384' },
    ]

    for (const jwk of wrong) {
      const error = errorOf(() => ringOf({ keys: [signing(jwk)] }))
      expect(error).toMatch(/cannot be used with/)
      expect(error).not.toContain(String(jwk['d'] ?? jwk['k']))
    }
  })
})

function errorOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    return String(error)
  }
  return 'nothing was thrown'
}

describe('a key without a kid', () => {
  it('has its thumbprint as kid, as in RFC 7638 §3.1', () => {
    const n =
      '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJ' +
      'ECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2' +
      'QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh' +
      '6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'

    const { published } = ringOf({ keys: [signing(rsa), { kty: 'RSA', e: 'AQAB', n, use: 'sig' }] })

    expect(published()[1]).toMatchObject({ kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' })
  })

  it('has the same kid for its private key, as in RFC 8037 appendix A.3', async () => {
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    }

    const token = await ringOf({ keys: [signing(jwk)] }).sign({ sub: 'ada' })

    expect(headerOf(token)?.['kid']).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k')
  })
})

it('creates no ring where no key is configured', () => {
  expect(configuredKeyRing({ secrets: [], keys: null, keyId: null })).toBeNull()
})
