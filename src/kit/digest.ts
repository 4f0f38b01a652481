import { createHash, createHmac } from 'node:crypto'

/** Lower-case hexadecimal SHA-256 of UTF-8 text. */
export const sha256Hex = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Lower-case hexadecimal HMAC-SHA-256. */
export const hmacSha256Hex = (key: Uint8Array, text: string): string =>
  createHmac('sha256', key).update(text).digest('hex')
