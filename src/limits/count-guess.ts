import type { AuthContext } from '../accounts/auth-context.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { takeFromBucket } from './take-from-bucket.sql.ts'

/** The guesses at one subject's secret that are allowed at once, and then per hour. */
const guesses = { code: 30, password: 100 } as const

type Secret = keyof typeof guesses

/**
 * Counts a guess outside the host's transaction. The guess is counted with the secret, too; that
 * count is rolled back with the host's transaction, so an attacker who causes rollbacks would have
 * unlimited guesses.
 *
 * @returns whether a guess is left. Always true outside a host's transaction.
 */
export async function countGuess(
  { isJoined, database, databaseNow, request }: AuthContext,
  secret: Secret,
  subject: string,
): Promise<boolean> {
  if (!isJoined) return true
  const key = guessKey(secret, request.audience, subject)
  const limit = { burst: guesses[secret], refillPerSecond: guesses[secret] / 3600 }
  return takeFromBucket(database.sql, key, limit, databaseNow())
}

/** Returns the keys that all guesses at one subject's secrets are counted under. */
export const guessKeys = (audience: string, subject: string): string[] =>
  (Object.keys(guesses) as Secret[]).map((secret) => guessKey(secret, audience, subject))

const guessKey = (secret: Secret, audience: string, subject: string): string =>
  sha256Hex(JSON.stringify(['guess', secret, audience, subject]))
