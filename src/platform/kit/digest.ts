import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Returns the lower-case hexadecimal SHA-256 of bytes, or of text as UTF-8. */
export const sha256Hex = (input: string | Uint8Array): string => hash('sha256', input)

/** Returns the lower-case hexadecimal HMAC-SHA-256. */
export const hmacSha256Hex = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex')

// Node allocates a buffer for each digest returned as bytes, which takes longer than the hash
// itself. A digest returned as text is decoded into a pooled buffer.

export const sha256 = (input: string | Uint8Array): Buffer =>
  Buffer.from(hash('sha256', input, 'binary'), 'binary')

export const hmacSha256 = (key: KeyObject | Uint8Array, input: string | Uint8Array): Buffer =>
  Buffer.from(createHmac('sha256', key).update(input).digest('binary'), 'binary')

/** Compares two secrets in a time that depends on neither their content nor their length. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other))
