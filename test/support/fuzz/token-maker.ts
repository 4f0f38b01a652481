import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JsonWebKey } from '../../../src/platform/config/sections/tokens.ts'
import { testSecret } from '../test-auth.ts'

/** An algorithm, and the key to sign with: text or bytes for HMAC, else a private key. */
export interface Signer {
  alg: string
  key: string | Buffer | KeyObject
}

const part = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** Creates a token by hand, valid or not. A part that is text is encoded unchanged. */
export function makeToken(header: object | string, claims: unknown, signer: Signer | null): string {
  const head = signer && typeof header === 'object' ? { alg: signer.alg, ...header } : header
  const input = `${part(head)}.${part(claims)}`
  return `${input}.${signer ? signature(signer, Buffer.from(input)).toString('base64url') : ''}`
}

function signature({ alg, key }: Signer, input: Buffer): Buffer {
  if (alg.startsWith('HS'))
    return createHmac(`sha${alg.slice(2)}`, key)
      .update(input)
      .digest()
  if (alg.startsWith('ES')) {
    return sign(`sha${alg.slice(2)}`, input, { key: key as KeyObject, dsaEncoding: 'ieee-p1363' })
  }
  return sign(alg === 'EdDSA' ? null : `sha${alg.slice(2)}`, input, key as KeyObject)
}

/** Creates a key pair, with its private key in the form of the configuration. */
export function makeKey(alg: 'ES256' | 'RS256', kid: string, canSign: boolean) {
  const pair =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const exported = pair.privateKey.export({ format: 'jwk' }) as JsonWebKey
  const jwk: JsonWebKey = { ...exported, kid, alg, ...(canSign && { key_ops: ['sign', 'verify'] }) }
  return { ...pair, kid, jwk }
}

export type TestKey = ReturnType<typeof makeKey>

/** The secret in the configuration of tests. */
export const sharedSecret: Signer = { alg: 'HS256', key: testSecret }

/** Returns the public key of an asymmetric pair in every form that could be used as a secret. */
export const publicForms = ({ publicKey }: TestKey): (string | Buffer)[] => [
  publicKey.export({ format: 'pem', type: 'spki' }),
  String(publicKey.export({ format: 'pem', type: 'spki' })).trim(),
  publicKey.export({ format: 'der', type: 'spki' }),
  JSON.stringify(publicKey.export({ format: 'jwk' })),
  '',
]
