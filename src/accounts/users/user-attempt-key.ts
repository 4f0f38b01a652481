import { sha256Hex } from '../../platform/kit/digest.ts'

/**
 * Returns the key that password attempts for a user are counted under, for attempts by one kind of
 * address.
 *
 * @param network the network of the client where the user recently signed in from it; null counts
 *   for all clients.
 */
export const userAttemptKey = (userId: string, kind: string, network: string | null): string =>
  sha256Hex(`user:${kind}:${userId}:${network ?? ''}`)

/**
 * Returns an expression for the text that {@link userAttemptKey} hashes.
 * `find-for-sign-in.test.ts` compares both forms.
 *
 * @param userId an expression for the id.
 * @param network an expression for the network as text; empty for null.
 */
export const userAttemptText = (userId: string, kind: string, network: string): string =>
  `'user:${kind}:' || ${userId} || ':' || ${network}`
