import { createHash, createHmac, hash, type KeyObject } from 'node:crypto'

/** Lower-case hexadecimal SHA-256 of UTF-8 text. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Lower-case hexadecimal HMAC-SHA-256. */
export const hmacSha256Hex = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex')

/**
 * SHA-256, and HMAC-SHA-256. Node makes a buffer of its own for bytes that come from OpenSSL, which takes
 * longer than the hash itself; by way of a text they go into one that it has.
 */
export const sha256 = (bytes: Uint8Array): Buffer =>
  Buffer.from(hash('sha256', bytes, 'binary'), 'binary')

export const hmacSha256 = (key: KeyObject | Uint8Array, input: string | Uint8Array): Buffer =>
  Buffer.from(createHmac('sha256', key).update(input).digest('binary'), 'binary')
