import type { TransactionContext } from '../deps.ts'
import { voidOneTimeTokens } from '../one-time-tokens/void-one-time-tokens.sql.ts'
import { endOtherSessions } from '../sessions/end-other-sessions.sql.ts'
import type { User } from '../users/user.entity.ts'

/**
 * Gives a user a new password. Whoever got in under the old one is out: other sessions end, and what
 * was sent before opens nothing any more.
 *
 * @param keptSessionId the session that asked for it, if it was the user's own.
 */
export async function changePassword(
  { sql }: TransactionContext,
  user: User,
  passwordHash: string,
  keptSessionId: string | null,
): Promise<void> {
  user.passwordHash = passwordHash
  user.confirmationSentAt = null
  user.recoverySentAt = null
  user.emailChangeSentAt = null
  user.phoneChangeSentAt = null
  user.reauthenticationSentAt = null
  await voidOneTimeTokens(sql, user.id)
  await endOtherSessions(sql, user.id, keptSessionId)
}
