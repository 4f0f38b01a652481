import type { AuthContext } from '../accounts/auth-context.ts'
import { sha256Hex } from '../platform/kit/digest.ts'
import { takeFromBucket } from './take-from-bucket.sql.ts'

/** Guesses at one subject's secret at once, and how many more in an hour. */
const guesses = { code: 30, password: 100 } as const

type Secret = keyof typeof guesses

/**
 * Counts a guess where no rollback reaches the count. It is counted with the secret as well; but in the
 * host's transaction that count goes with it, and whoever may guess could have it undone each time.
 *
 * @returns whether there is a guess left. Outside such a transaction there always is.
 */
export async function countGuess(
  { isJoined, database, clock, request }: AuthContext,
  secret: Secret,
  subject: string,
): Promise<boolean> {
  if (!isJoined) return true
  const key = guessKey(secret, request.audience, subject)
  const limit = { burst: guesses[secret], refillPerSecond: guesses[secret] / 3600 }
  return takeFromBucket(database.sql, key, limit, clock.now())
}

/** Under what all guesses at one subject's secrets are counted. */
export const guessKeys = (audience: string, subject: string): string[] =>
  (Object.keys(guesses) as Secret[]).map((secret) => guessKey(secret, audience, subject))

const guessKey = (secret: Secret, audience: string, subject: string): string =>
  sha256Hex(JSON.stringify(['guess', secret, audience, subject]))
