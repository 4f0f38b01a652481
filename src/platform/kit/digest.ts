import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto'

/** Lower-case hexadecimal SHA-256 of bytes, or of text as UTF-8. */
export const sha256Hex = (input: string | Uint8Array): string => hash('sha256', input)

/** Lower-case hexadecimal HMAC-SHA-256. */
export const hmacSha256Hex = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex')

// Node makes a buffer of its own for bytes that come from OpenSSL, which takes longer than the hash itself.
// By way of a text they go into one that it has.

export const sha256 = (input: string | Uint8Array): Buffer =>
  Buffer.from(hash('sha256', input, 'binary'), 'binary')

export const hmacSha256 = (key: KeyObject | Uint8Array, input: string | Uint8Array): Buffer =>
  Buffer.from(createHmac('sha256', key).update(input).digest('binary'), 'binary')

/** Whether two secrets are the same, in a time that tells neither content nor length of either. */
export const isSameSecret = (one: string, other: string): boolean =>
  timingSafeEqual(sha256(one), sha256(other))
