import { createSecretKey, type KeyObject } from 'node:crypto'
import { hmacSha256 } from './digest.ts'

/** A root secret: its text, or the extracted key of RFC 5869. */
export type RootKey = string | KeyObject

/**
 * The root secrets of all other symmetric keys. The first is for new values; all are tried for
 * existing ones, so that a root can be replaced without invalidating them.
 */
export interface RootKeys {
  current: RootKey
  all: readonly RootKey[]
}

/** The purpose of a derived key. Keys of different purposes are unrelated. */
export type KeyPurpose =
  | 'refresh-token'
  | 'imported-token'
  | 'one-time-code'
  | 'sealed-box'
  | 'key-id'
  | 'list-cursor'
  | 'decoy-user'

/** Extracts roots once, for many derivations. */
export function extractRoots(current: string, ...others: string[]): RootKeys {
  const extracted = extractRoot(current)
  return { current: extracted, all: [extracted, ...others.map(extractRoot)] }
}

/**
 * Derives a 256-bit key for one purpose and one subject (such as a session id).
 *
 * Both steps of HKDF are implemented here, since `hkdfSync` repeats the first one each time. The
 * key is as long as the hash, so the second step has one round.
 *
 * @see RFC 5869 §2.3 (HKDF-SHA-256)
 */
export function deriveKey(root: RootKey, purpose: KeyPurpose, subject = ''): Buffer {
  const extracted = typeof root === 'string' ? extractRoot(root) : root
  return hmacSha256(extracted, `latchkey:${purpose}:${subject}\x01`)
}

/** The default salt: zeros, of the hash's length. */
const noSalt = Buffer.alloc(32)

/** @see RFC 5869 §2.2 */
const extractRoot = (root: string): KeyObject => createSecretKey(hmacSha256(noSalt, root))
