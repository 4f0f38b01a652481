import type { AuthContext } from '../deps.ts'
import { sha256Hex } from '../kit/digest.ts'
import { takeFromBucket } from '../limits/take-from-bucket.sql.ts'

/** Guesses at one subject's secret at once, and how many more in an hour. */
const guesses = { code: 30, password: 100 } as const

/**
 * Counts a guess where no rollback reaches the count. It is counted with the secret as well; but in the
 * host's transaction that count goes with it, and whoever may guess could have it undone each time.
 *
 * @returns whether there is a guess left. Outside such a transaction there always is.
 */
export async function countGuess(
  { isJoined, database, clock, request }: AuthContext,
  secret: keyof typeof guesses,
  subject: string,
): Promise<boolean> {
  if (!isJoined) return true
  const key = sha256Hex(JSON.stringify(['guess', secret, request.audience, subject]))
  const limit = { burst: guesses[secret], refillPerSecond: guesses[secret] / 3600 }
  return takeFromBucket(database.sql, key, limit, clock.now())
}
