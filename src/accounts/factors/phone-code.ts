import { timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256Hex } from '../../platform/kit/digest.ts'

/** What a code was sent for, and to which number: a factor may be given another one meanwhile. */
export interface PhoneChallenge {
  id: string
  phone: string
}

/** A code for a phone as its challenge stores it: six digits are soon guessed from a plain hash. */
export const hashPhoneCode = (root: RootKey, { id, phone }: PhoneChallenge, code: string): string =>
  hmacSha256Hex(deriveKey(root, 'one-time-code', `challenge:${id}:${phone}`), code)

/** Whether a code is that of a challenge, under any of the root keys. */
export function isPhoneCode(
  roots: RootKeys,
  { code_hash: stored, ...challenge }: PhoneChallenge & { code_hash: string | null },
  code: string,
): boolean {
  if (stored === null) return false
  return roots.all.some((root) =>
    timingSafeEqual(Buffer.from(hashPhoneCode(root, challenge, code)), Buffer.from(stored)),
  )
}
