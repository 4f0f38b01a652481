import { deriveKey, type RootKey, type RootKeys } from '../kit/derived-keys.ts'
import { hmacSha256Hex } from '../kit/digest.ts'
import { newBase32Secret } from '../kit/hotp.ts'
import type { Random } from '../kit/random.ts'

/** How many a user has at once. */
const codesPerSet = 10

/** 16 characters: nobody guesses 80 bits. @see NIST SP 800-63B §5.1.2.1 */
const codeBytes = 10

/** The codes of a new set as they are shown: in lower case, without separators. */
export const newRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: codesPerSet }, () => newBase32Secret(random, codeBytes).toLowerCase())

/** A code of a set as its row holds it. */
export const hashRecoveryCode = (root: RootKey, factorId: string, code: string): string =>
  hmacSha256Hex(deriveKey(root, 'one-time-code', `recovery:${factorId}`), code)

/** What the row of a code may hold, under each of the root keys. Letter case, white space and hyphens do not matter. */
export function hashesOfRecoveryCode(roots: RootKeys, factorId: string, typed: string): string[] {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  return roots.all.map((root) => hashRecoveryCode(root, factorId, code))
}
