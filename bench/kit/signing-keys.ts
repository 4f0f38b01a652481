import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { JsonWebKey } from '../../src/platform/config/sections/tokens.ts'

/** The signature algorithms of Latchkey. */
export const algorithms = ['HS256', 'RS256', 'ES256', 'EdDSA'] as const
export type Algorithm = (typeof algorithms)[number]

/** Creates a private key in JSON form. */
export function newSigningKey(algorithm: Algorithm): JsonWebKey {
  const named = { alg: algorithm, kid: 'bench', use: 'sig', key_ops: ['sign', 'verify'] }
  if (algorithm === 'HS256') {
    return { kty: 'oct', k: randomBytes(32).toString('base64url'), ...named }
  }
  return { ...(privateKeyFor(algorithm).export({ format: 'jwk' }) as JsonWebKey), ...named }
}

function privateKeyFor(algorithm: Exclude<Algorithm, 'HS256'>) {
  if (algorithm === 'RS256') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  if (algorithm === 'EdDSA') return generateKeyPairSync('ed25519').privateKey
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}
