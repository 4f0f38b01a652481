import type { Deps } from '../../../accounts/auth-context.ts'
import { deriveKey } from '../../../platform/kit/derived-keys.ts'
import { hmacSha256Hex, sha256Hex } from '../../../platform/kit/digest.ts'
import type { Random } from '../../../platform/kit/random.ts'

/** Consonants, which form no words, and are not confused with digits. @see RFC 8628 §6.1 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const userCodeLength = 8

/** Returns a code that users type, such as `WDJB-MJHT`: 34 random bits. */
export function newUserCode(random: Pick<Random, 'hex'>): string {
  let code = ''
  while (code.length < userCodeLength) {
    const byte = Number.parseInt(random.hex(1), 16)
    // Higher values would make the first letters more probable.
    if (byte < 256 - (256 % letters.length)) code += letters[byte % letters.length]
  }
  return `${code.slice(0, userCodeLength / 2)}-${code.slice(userCodeLength / 2)}`
}

/** Returns a code as users may have typed it, without spaces and punctuation, in capitals. */
const normalized = (userCode: string): string => userCode.toUpperCase().replaceAll(/[^A-Z\d]/g, '')

/**
 * Returns the hashes under which a user code may be stored, the current one first. The code is
 * short, so that the hash needs a key.
 */
export const hashesOfUserCode = (
  { roots }: Pick<Deps, 'roots'>,
  userCode: string,
): [string, ...string[]] =>
  [...new Set([roots.current, ...roots.all])].map((root) =>
    hmacSha256Hex(deriveKey(root, 'one-time-code', 'oauth-device'), normalized(userCode)),
  ) as [string, ...string[]]

/**
 * Returns a code by which a device requests its tokens: 256 random bits, and the second in which it
 * expires.
 */
export const newDeviceCode = (random: Pick<Random, 'hex'>, expiresAt: Date): string =>
  `${random.hex(32)}.${Math.ceil(expiresAt.getTime() / 1000)}`

/**
 * Returns whether a device code states that it has expired. Its row may be deleted already. The
 * statement is not verified: it only determines the error.
 */
export const isExpiredDeviceCode = (deviceCode: string, now: Date): boolean => {
  const expiresAt = /^[\da-f]{64}\.(\d{1,12})$/.exec(deviceCode)?.[1]
  return expiresAt !== undefined && Number(expiresAt) * 1000 <= now.getTime()
}

/** Returns the hash under which a device code is stored. */
export const hashOfDeviceCode = (deviceCode: string): string =>
  sha256Hex(`oauth-device-code:${deviceCode}`)
