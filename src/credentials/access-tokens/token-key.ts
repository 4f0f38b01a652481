import {
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
} from 'node:crypto'
import { type JwsAlgorithm, type JwsKey, jwsAlgorithms } from '../../platform/kit/jws.ts'

/** A key for access tokens. It verifies, and signs if the private key is known. */
export interface TokenKey {
  /** The `kid` in the header of tokens. A shared secret may have none. */
  id: string | null
  verification: JwsKey
  signing: JwsKey | null
  /** The public key as published; null for a shared secret. */
  publicJwk: JsonWebKey | null
}

/** Returns the key of a shared secret: the bytes of the text, for HS256. */
export function secretTokenKey(secret: string, id: string | null): TokenKey {
  const key: JwsKey = { algorithm: 'HS256', key: createSecretKey(secret, 'utf8') }
  return { id, verification: key, signing: key, publicJwk: null }
}

/**
 * Returns the key of a JSON Web Key, with its one algorithm.
 *
 * @throws Error for an unknown kind of key. The message contains no part of the key.
 * @see RFC 7517
 */
export function jwkTokenKey(jwk: JsonWebKey): TokenKey {
  const algorithm = algorithmOf(jwk)
  if (jwk.kty === 'oct') {
    const key: JwsKey = { algorithm, key: createSecretKey(String(jwk['k']), 'base64url') }
    return { id: keyId(jwk), verification: key, signing: key, publicJwk: null }
  }
  const publicKey = createPublicKey({ key: jwk, format: 'jwk' })
  const signing = jwk['d']
    ? { algorithm, key: createPrivateKey({ key: jwk, format: 'jwk' }) }
    : null
  const id = keyId(jwk)
  return {
    id,
    verification: { algorithm, key: publicKey },
    signing,
    publicJwk: {
      ...publicKey.export({ format: 'jwk' }),
      ...(id !== null && { kid: id }),
      alg: algorithm,
      use: 'sig',
      key_ops: ['verify'],
    },
  }
}

const algorithmsByKind: Record<string, readonly JwsAlgorithm[]> = {
  oct: ['HS256'],
  RSA: ['RS256', 'RS512'],
  'P-256': ['ES256'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA'],
}

/**
 * Returns the algorithm of a key: its `alg` if that fits the kind of key, else the default of the
 * kind.
 */
function algorithmOf(jwk: JsonWebKey): JwsAlgorithm {
  const fitting = algorithmsByKind[String(jwk['crv'] ?? jwk.kty)] ?? []
  const named = jwk['alg']
  const algorithm = named === undefined ? fitting[0] : jwsAlgorithms.find((name) => name === named)
  if (!algorithm || !fitting.includes(algorithm)) {
    throw new Error(`a ${jwk.kty} key cannot be used with ${String(named ?? 'any algorithm')}`)
  }
  return algorithm
}

/** Returns the `kid` of a key, else its thumbprint. @see RFC 7638 */
function keyId(jwk: JsonWebKey): string | null {
  if (typeof jwk['kid'] === 'string' && jwk['kid'] !== '') return jwk['kid']
  if (jwk.kty === 'oct') return null
  const required = ['crv', 'e', 'kty', 'n', 'x', 'y'].filter((name) => jwk[name] !== undefined)
  const canonical = JSON.stringify(Object.fromEntries(required.map((name) => [name, jwk[name]])))
  return createHash('sha256').update(canonical).digest('base64url')
}
