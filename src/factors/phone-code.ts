import { timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../kit/derived-keys.ts'
import { hmacSha256Hex } from '../kit/digest.ts'

/** A code for a phone as its challenge stores it: six digits are soon guessed from a plain hash. */
export const hashPhoneCode = (root: RootKey, challengeId: string, code: string): string =>
  hmacSha256Hex(deriveKey(root, 'one-time-code', `challenge:${challengeId}`), code)

/** Whether a code is that of a challenge, under any of the root keys. */
export function isPhoneCode(
  roots: RootKeys,
  { id, code_hash: stored }: { id: string; code_hash: string | null },
  code: string,
): boolean {
  if (stored === null) return false
  return roots.all.some((root) =>
    timingSafeEqual(Buffer.from(hashPhoneCode(root, id, code)), Buffer.from(stored)),
  )
}
