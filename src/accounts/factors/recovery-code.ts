import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256Hex } from '../../platform/kit/digest.ts'
import { newBase32Secret } from '../../platform/kit/hotp.ts'
import type { Random } from '../../platform/kit/random.ts'
import type { RecoveryCodesStatus } from '../users/user.ts'
import { openFactorSecret } from './factor-secret.ts'

/** The number of codes in a set. */
const codesPerSet = 10

/** 16 characters: 80 bits are not guessed. @see NIST SP 800-63B §5.1.2.1 */
const codeBytes = 10

/** Creates the codes of a new set in the form that is shown: in lower case, without separators. */
export const newRecoveryCodes = (random: Random): string[] =>
  Array.from({ length: codesPerSet }, () => newBase32Secret(random, codeBytes).toLowerCase())

/**
 * Creates the key of a new set, from which its hashes are derived. The factor stores it sealed, so
 * that it can be sealed with another root key while the codes, which are not stored, stay valid.
 */
export const newRecoveryCodeKey = (random: Random): string => random.hex(32)

/** Returns the hash of a code that its row stores. */
export const hashRecoveryCode = (key: RootKey, factorId: string, code: string): string =>
  hmacSha256Hex(deriveKey(key, 'one-time-code', `recovery:${factorId}`), code)

/**
 * Returns the hashes under which the row of a code may be stored. Letter case, white space and
 * hyphens do not matter.
 *
 * @param sealedKey the key of the set, as the factor stores it; null for a set from before sets had
 *   keys, whose hashes are derived from a root key.
 */
export function hashesOfRecoveryCode(
  roots: RootKeys,
  { factorId, sealedKey }: { factorId: string; sealedKey: string | null },
  typed: string,
): string[] {
  const code = typed.toLowerCase().replaceAll(/[\s-]/g, '')
  const keys = sealedKey === null ? roots.all : [openFactorSecret(roots, factorId, sealedKey)]
  return keys.map((key) => hashRecoveryCode(key, factorId, code))
}

/** Builds the wire form of a user's recovery codes: their number, never the codes. */
export const presentRecoveryCodes = (codes: RecoveryCodesStatus) => ({
  id: codes.id,
  type: 'recovery_code',
  total: codes.total,
  remaining: codes.remaining,
})
