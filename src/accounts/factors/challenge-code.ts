import { timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256Hex } from '../../platform/kit/digest.ts'

/**
 * A challenge with the address that its code was sent to. The factor may receive another address
 * meanwhile.
 */
export interface SentChallenge {
  id: string
  recipient: string
}

/**
 * Returns the hash of a sent code that its challenge stores. It is keyed: a plain hash of six
 * digits is soon guessed.
 */
export const hashChallengeCode = (
  root: RootKey,
  { id, recipient }: SentChallenge,
  code: string,
): string => hmacSha256Hex(deriveKey(root, 'one-time-code', `challenge:${id}:${recipient}`), code)

/** Returns whether a code is that of a challenge, under any of the root keys. */
export function isChallengeCode(
  roots: RootKeys,
  { code_hash: stored, ...challenge }: SentChallenge & { code_hash: string | null },
  code: string,
): boolean {
  if (stored === null) return false
  return roots.all.some((root) =>
    timingSafeEqual(Buffer.from(hashChallengeCode(root, challenge, code)), Buffer.from(stored)),
  )
}
