import {
  createHmac,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { Algorithm } from './signing-keys.ts'

/**
 * Verifies the signature of one token with node:crypto, and does nothing else: it neither splits
 * the text nor reads claims. All preparation is done before.
 */
export function bareVerify(algorithm: Algorithm, jwk: JsonWebKey, token: string): () => boolean {
  const end = token.lastIndexOf('.')
  const input = Buffer.from(token.slice(0, end))
  const signature = Buffer.from(token.slice(end + 1), 'base64url')
  if (algorithm === 'HS256') {
    const key = createSecretKey(String(jwk['k']), 'base64url')
    return () => timingSafeEqual(createHmac('sha256', key).update(input).digest(), signature)
  }
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  if (algorithm === 'EdDSA') return () => verify(null, input, key, signature)
  const given = algorithm === 'ES256' ? ({ key, dsaEncoding: 'ieee-p1363' } as const) : key
  return () => verify('sha256', input, given, signature)
}
