import { timingSafeEqual } from 'node:crypto'
import { deriveKey, type RootKey, type RootKeys } from '../../platform/kit/derived-keys.ts'
import { hmacSha256, sha256 } from '../../platform/kit/digest.ts'
import { uuidFromBytes } from '../../platform/kit/uuid.ts'
import type { RowOf } from '../../platform/sql/row-of.ts'
import type {
  OneTimeToken as OneTimeTokenEntity,
  OneTimeTokenPurpose,
} from './one-time-token.entity.ts'

/** A token as PostgreSQL writes it in JSON. */
export type OneTimeTokenRow = RowOf<OneTimeTokenEntity>

/** Returns the stored form of a link's secret: base64url is shorter than hexadecimal digits. */
export const hashSecret = (secret: string): string => sha256(secret).toString('base64url')

/**
 * Returns the id of the token with this hash, so that no second index is needed to find it. Other
 * requests for the same message get another id.
 */
export const tokenIdOf = (tokenHash: string): string =>
  uuidFromBytes(Buffer.from(tokenHash, 'base64url').subarray(0, 16))

/** The digits of base64url that are stored of a code's hash: 132 bits. */
const codeHashLength = 22

/**
 * Returns the stored form of a code. It is keyed: a plain hash of six digits is soon guessed. Half
 * of the hash distinguishes codes as well as all of it.
 *
 * @internal The published types refer to it, and would refer to Node's types.
 */
export const hashCode = (
  root: RootKey,
  { purpose, userId }: { purpose: OneTimeTokenPurpose; userId: string },
  code: string,
): string =>
  hmacSha256(deriveKey(root, 'one-time-code', `${purpose}:${userId}`), code)
    .toString('base64url')
    .slice(0, codeHashLength)

/**
 * Returns whether a code is that of the token, under any of the root keys.
 *
 * @internal The published types refer to it, and would refer to Node's types.
 */
export function isCodeOf(
  roots: RootKeys,
  row: Pick<OneTimeTokenRow, 'purpose' | 'user_id' | 'code_hash'>,
  code: string,
): boolean {
  // Earlier versions stored the whole hash.
  const stored = Buffer.from(row.code_hash.slice(0, codeHashLength))
  return roots.all.some((root) => {
    const given = hashCode(root, { purpose: row.purpose, userId: row.user_id }, code)
    return timingSafeEqual(Buffer.from(given), stored)
  })
}

/**
 * Returns the requester of a message that a client without a session requested again. It differs
 * from the client itself, so that the message replaces none that the signed-in requester was sent.
 *
 * @param requester the client; null for clients that cannot be distinguished.
 */
export const resenderOf = (requester: string | null): string =>
  requester === null ? anyResender : `${anyResender}:${requester}`

/** Returns the client of a stored requester, also of {@link resenderOf}. */
export const clientOfRequester = (requester: string | null): string | null =>
  requester?.startsWith(`${anyResender}:`) ? requester.slice(anyResender.length + 1) : requester

/** All clients that cannot be distinguished. No client has this digest. */
const anyResender = 'resend'
