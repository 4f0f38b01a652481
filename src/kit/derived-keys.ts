import { hkdfSync } from 'node:crypto'

/**
 * The root secrets that all other symmetric keys are derived from. The first makes; all read, so that
 * a root can be replaced without invalidating what the old one made.
 */
export interface RootKeys {
  current: string
  all: readonly string[]
}

/** What a derived key may be used for. A key of one purpose is unrelated to that of any other. */
export type KeyPurpose = 'refresh-token' | 'one-time-code' | 'sealed-box'

/**
 * A 256-bit key for one purpose and one subject (such as a session id).
 *
 * @see RFC 5869 (HKDF-SHA-256)
 */
export function deriveKey(root: string, purpose: KeyPurpose, subject = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', root, '', `latchkey:${purpose}:${subject}`, 32))
}
