import { createPublicKey, createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { decodeJws, isSignedBy, type JwsAlgorithm, type JwsKey, signJws } from './jws.ts'

/** A key pair, or one secret twice. */
interface KeyPair {
  signing: JwsKey
  verification: JwsKey
}

const pair = (
  algorithm: JwsAlgorithm,
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): KeyPair => ({
  signing: { algorithm, key: privateKey },
  verification: { algorithm, key: publicKey },
})

const secret = createSecretKey('a secret of more than thirty-two bytes', 'utf8')
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pairs: KeyPair[] = [
  pair('HS256', { privateKey: secret, publicKey: secret }),
  pair('RS256', rsa),
  pair('RS512', rsa),
  pair('ES256', generateKeyPairSync('ec', { namedCurve: 'P-256' })),
  pair('ES512', generateKeyPairSync('ec', { namedCurve: 'P-521' })),
  pair('EdDSA', generateKeyPairSync('ed25519')),
]

const claims =
  'eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ'

const publicKeyOf = (jwk: Record<string, string>): KeyObject =>
  createPublicKey({ key: jwk, format: 'jwk' })

function requireJws(token: string) {
  const jws = decodeJws(token)
  if (!jws) throw new Error('this is no JWS')
  return jws
}

describe.each(pairs)('$signing.algorithm', ({ signing, verification }) => {
  it('verifies what it signed', async () => {
    const token = await signJws(signing, { typ: 'JWT' }, { sub: 'ada', note: 'Grüße, 東京' })
    const jws = requireJws(token)

    expect(jws.header).toEqual({ alg: signing.algorithm, typ: 'JWT' })
    expect(jws.payload).toEqual({ sub: 'ada', note: 'Grüße, 東京' })
    expect(isSignedBy(verification, jws)).toBe(true)
  })

  it('rejects a token whose payload or header was changed', async () => {
    const token = await signJws(signing, {}, { role: 'user' })
    const [header, payload, signature] = token.split('.')
    const admin = Buffer.from('{"role":"admin"}').toString('base64url')
    const otherHeader = Buffer.from(`{"alg":"${signing.algorithm}","x":1}`).toString('base64url')

    const changed = [`${header}.${admin}.${signature}`, `${otherHeader}.${payload}.${signature}`]

    for (const text of changed) expect(isSignedBy(verification, requireJws(text))).toBe(false)
  })

  it('rejects a signature that is truncated, extended or empty', async () => {
    const jws = requireJws(await signJws(signing, {}, { sub: 'ada' }))
    const { signature } = jws

    const others = [
      signature.subarray(1),
      Buffer.concat([signature, Buffer.of(0)]),
      Buffer.alloc(0),
    ]

    for (const other of others) {
      expect(isSignedBy(verification, { ...jws, signature: other })).toBe(false)
    }
  })
})

describe('the algorithm', () => {
  it('is the key’s own, whatever the header contains', async () => {
    const [hmac, rs256] = [pairs[0], pairs[1]]
    if (!hmac || !rs256) throw new Error('keys are missing')
    const token = await signJws(hmac.signing, { alg: 'RS256' }, { sub: 'ada' })

    const jws = requireJws(token)

    expect(jws.header['alg']).toBe('RS256')
    expect(isSignedBy(hmac.verification, jws)).toBe(true)
    expect(isSignedBy(rs256.verification, jws)).toBe(false)
  })
})

describe('a public key', () => {
  it('is never used as an HMAC secret, whatever the header contains (T29)', async () => {
    const [hmac, ...asymmetric] = pairs
    if (!hmac) throw new Error('keys are missing')
    const jws = requireJws(await signJws(hmac.signing, { alg: 'HS256' }, { sub: 'ada' }))

    for (const { verification } of asymmetric) expect(isSignedBy(verification, jws)).toBe(false)
  })
})

describe('vectors of the standards', () => {
  it('verifies RFC 7515 appendix A.1 (HS256)', () => {
    const k =
      'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow'
    const key = createSecretKey(k, 'base64url')
    const jws = requireJws(
      `eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.${claims}.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk`,
    )

    expect(isSignedBy({ algorithm: 'HS256', key }, jws)).toBe(true)
    expect(jws.payload['iss']).toBe('joe')
  })

  it('verifies RFC 7515 appendix A.3 (ES256), whose signature is r ‖ s', () => {
    const key = publicKeyOf({
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    })
    const jws = requireJws(
      `eyJhbGciOiJFUzI1NiJ9.${claims}.DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q`,
    )

    expect(isSignedBy({ algorithm: 'ES256', key }, jws)).toBe(true)
  })

  it('verifies RFC 8037 appendix A.4 (Ed25519)', () => {
    const key = publicKeyOf({
      kty: 'OKP',
      crv: 'Ed25519',
      x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
    })
    const signature = Buffer.from(
      'hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg',
      'base64url',
    )
    const signingInput = 'eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc'

    const verified = isSignedBy(
      { algorithm: 'EdDSA', key },
      { header: {}, payload: {}, signingInput, signature },
    )

    expect(verified).toBe(true)
  })
})

describe('decodeJws', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url')
  const [header, payload] = [encode('{"alg":"HS256"}'), encode('{"sub":"ada"}')]

  it.each([
    ['nothing', ''],
    ['two parts', `${header}.${payload}`],
    ['four parts', `${header}.${payload}.c2ln.c2ln`],
    ['no signature', `${header}.${payload}.`],
    ['padding', `${header}.${payload}.c2lnbg==`],
    ['the alphabet of base64', `${header}.${payload}.++//`],
    ['a line break', `${header}.${payload}.c2ln\n`],
    ['space around', ` ${header}.${payload}.c2ln`],
    ['a header that is no JSON', `${encode('{')}.${payload}.c2ln`],
    ['a header that is a list', `${encode('["alg"]')}.${payload}.c2ln`],
    ['a payload that is text', `${header}.${encode('"ada"')}.c2ln`],
    ['a payload that is null', `${header}.${encode('null')}.c2ln`],
    ['another spelling of the same signature', `${header}.${payload}.c2lnbl`],
  ])('finds no token in %s', (_case, text) => {
    expect(decodeJws(text)).toBeNull()
  })

  it('rejects a huge token before parsing it (T29)', () => {
    const huge = encode(JSON.stringify({ padding: 'x'.repeat(40_000) }))

    expect(decodeJws(`${header}.${huge}.c2ln`)).toBeNull()
    expect(decodeJws(`${header}.${encode('{"padding":"x"}')}.c2ln`)).not.toBeNull()
  })
})
