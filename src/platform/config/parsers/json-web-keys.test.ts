import { createSecretKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { jsonWebKeys } from './json-web-keys.ts'
import { isFailure } from './parser.ts'

type Jwk = Record<string, unknown>

const jwk = (key: KeyObject, members: Jwk = {}): Jwk => ({
  ...key.export({ format: 'jwk' }),
  ...members,
})

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p521 = generateKeyPairSync('ec', { namedCurve: 'P-521' })
const ed25519 = generateKeyPairSync('ed25519')
const shared = createSecretKey(randomBytes(32))

const signing = jwk(ed25519.privateKey, { kid: 'now', key_ops: ['sign', 'verify'] })

/** Returns the problems, as `[1].alg message`; the keys if there are none. */
function check(keys: unknown) {
  const reading = jsonWebKeys.check(keys)
  return isFailure(reading)
    ? reading.problems.map(({ message, at = '' }) => `${at} ${message}`.trim())
    : reading.value
}

describe('a set of keys', () => {
  it('mixes kinds, and binds each key to its algorithm', () => {
    const keys = check([
      signing,
      jwk(rsa.publicKey, { kid: 'a' }),
      jwk(rsa.publicKey, { kid: 'b', alg: 'RS512' }),
      jwk(p256.publicKey, { kid: 'c', use: 'sig', key_ops: ['verify'] }),
      jwk(p521.privateKey, { kid: 'd' }),
      jwk(shared, { kid: 'e', alg: 'HS256' }),
    ])
    expect(keys).toMatchObject([
      { kid: 'now', alg: 'EdDSA' },
      { alg: 'RS256' },
      { alg: 'RS512' },
      { alg: 'ES256' },
      { alg: 'ES512' },
      { alg: 'HS256' },
    ])
  })

  it('is read from JSON, as an array or a key set', () => {
    expect(jsonWebKeys.parse(JSON.stringify([signing]))).toEqual({ value: [signing] })
    expect(jsonWebKeys.parse(JSON.stringify({ keys: [signing] }))).toEqual({ value: [signing] })
    const secret = '[{"k": "c4n4ry'
    expect(JSON.stringify(jsonWebKeys.parse(secret))).not.toContain('c4n4ry')
    expect(jsonWebKeys.parse(secret)).toHaveProperty('problems')
  })

  it('contains exactly one key for signing, with its private half', () => {
    const verifying = { ...signing, key_ops: ['verify'] }
    expect(check([verifying])).toEqual(['must contain a key with "sign" in its key_ops'])
    expect(check([signing, { ...signing, kid: 'next' }])).toEqual([
      'must contain one key with "sign" in its key_ops, and has 2',
    ])
    expect(check([jwk(p256.publicKey, { key_ops: ['sign'] })])).toEqual([
      '[0] must contain its private half, because it is for signing',
    ])
    expect(check([jwk(shared, { key_ops: ['sign'] })])).toHaveLength(1)
  })

  it('uses no kid twice', () => {
    expect(check([signing, jwk(rsa.publicKey, { kid: 'now' })])).toEqual([
      'must not use a kid twice',
    ])
    expect(check([signing, jwk(rsa.publicKey), jwk(p256.publicKey)])).toHaveLength(3)
  })

  it('rejects unusable keys, and names each', () => {
    const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
    const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const kinds = 'must be of kind RSA, EC (P-256, P-521), OKP (Ed25519) or oct'
    expect(
      check([
        'key',
        jwk(p384.publicKey),
        { kty: 'RSA', crv: 'P-256' },
        { kty: '__proto__' },
        jwk(p256.publicKey, { alg: 'RS256' }),
        jwk(rsa.publicKey, { use: 'enc' }),
        jwk(rsa.publicKey, { key_ops: 'verify' }),
        jwk(rsa.publicKey, { kid: 7 }),
        jwk(small.publicKey),
        jwk(createSecretKey(randomBytes(31))),
        { ...jwk(p256.publicKey), y: 'AAAA' },
        { kty: 'RSA', n: 'AQAB', e: 'AQAB', d: 'AQAB' },
      ]),
    ).toEqual([
      '[0] must be a JSON Web Key',
      `[1] ${kinds}`,
      `[2] ${kinds}`,
      `[3] ${kinds}`,
      '[4].alg must be ES256 for a key of this kind',
      '[5].use must be "sig"',
      '[6].key_ops must be a list of strings',
      '[7].kid must be a string',
      '[8].n must have at least 2048 bits',
      '[9].k must have at least 32 bytes',
      '[10] must be complete: it cannot be read as a key',
      '[11] must be complete: it cannot be read as a key',
    ])
    expect(check([])).toEqual(['must be an array of keys'])
    expect(check({})).toEqual(['must be an array of keys'])
  })

  it('drops unused members', () => {
    const [key] = check([{ ...signing, secret_note: 'x', x5c: [] }]) as readonly unknown[]
    expect(key).not.toHaveProperty('secret_note')
    expect(key).not.toHaveProperty('x5c')
  })
})
