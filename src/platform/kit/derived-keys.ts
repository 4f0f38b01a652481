import { createSecretKey, type KeyObject } from 'node:crypto'
import { hmacSha256 } from './digest.ts'

/** A root secret: its text, or what every derivation from it begins with. */
export type RootKey = string | KeyObject

/**
 * The root secrets that all other symmetric keys are derived from. The first makes; all read, so that
 * a root can be replaced without invalidating what the old one made.
 */
export interface RootKeys {
  current: RootKey
  all: readonly RootKey[]
}

/** What a derived key may be used for. A key of one purpose is unrelated to that of any other. */
export type KeyPurpose =
  | 'refresh-token'
  | 'imported-token'
  | 'one-time-code'
  | 'sealed-box'
  | 'key-id'
  | 'list-cursor'
  | 'decoy-user'

/** Roots to derive many keys from: the first half of the work is done once. */
export function extractRoots(current: string, ...others: string[]): RootKeys {
  const extracted = extractRoot(current)
  return { current: extracted, all: [extracted, ...others.map(extractRoot)] }
}

/**
 * A 256-bit key for one purpose and one subject (such as a session id).
 *
 * Both steps of HKDF are written out, since `hkdfSync` takes both each time. The key is as long as the
 * hash, so the second step has one round.
 *
 * @see RFC 5869 §2.3 (HKDF-SHA-256)
 */
export function deriveKey(root: RootKey, purpose: KeyPurpose, subject = ''): Buffer {
  const extracted = typeof root === 'string' ? extractRoot(root) : root
  return hmacSha256(extracted, `latchkey:${purpose}:${subject}\x01`)
}

/** Without a salt, as many zeros as the hash has bytes. */
const noSalt = Buffer.alloc(32)

/** @see RFC 5869 §2.2 */
const extractRoot = (root: string): KeyObject => createSecretKey(hmacSha256(noSalt, root))
