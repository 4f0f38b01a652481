import { timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../kit/derived-keys.ts'
import { hmacSha256Hex } from '../kit/digest.ts'
import type { CodeChallenge } from './code-challenge.ts'
import type { OneTimeTokenPurpose } from './one-time-token-purpose.ts'

/**
 * The request that caused a token. `signup` stands for whatever confirms the sign-up that set the
 * password: rule 2 of the design asks for it.
 */
export type TokenRequester = 'signup' | 'otp' | 'recover' | 'invite' | 'change' | 'reauthenticate'

/** A token as PostgreSQL writes it in JSON. */
export interface OneTimeTokenRow {
  id: string
  user_id: string
  purpose: OneTimeTokenPurpose
  requested_by: TokenRequester
  /**
   * The client that asked, `operator`, `application` for a sign-up that a host passed on, or `session` for what only
   * a session can spend; null where the client
   * cannot be told apart. A new token takes the place of one that the same asked for.
   */
  requested_from: string | null
  /** Where the user is looked up, or is to be once the address is proved. */
  audience: string
  sent_to: string
  token_hash: string
  code_hash: string
  code_challenge: string | null
  code_challenge_method: CodeChallenge['method'] | null
  expires_at: string
  created_at: string
}

/**
 * The code as it is stored: under a key, since six digits are soon guessed from a plain hash.
 *
 * @internal The published types lead here, and would lead on to Node's.
 */
export const hashCode = (
  root: RootKey,
  { purpose, userId }: { purpose: OneTimeTokenPurpose; userId: string },
  code: string,
): string => hmacSha256Hex(deriveKey(root, 'one-time-code', `${purpose}:${userId}`), code)

/**
 * Whether a code is that of the token, under any of the root keys.
 *
 * @internal As above.
 */
export function isCodeOf(
  roots: RootKeys,
  row: Pick<OneTimeTokenRow, 'purpose' | 'user_id' | 'code_hash'>,
  code: string,
): boolean {
  const stored = Buffer.from(row.code_hash)
  return roots.all.some((root) => {
    const given = hashCode(root, { purpose: row.purpose, userId: row.user_id }, code)
    return timingSafeEqual(Buffer.from(given), stored)
  })
}
