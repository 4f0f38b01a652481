import type { TransactionContext } from '../../deps.ts'
import { voidOneTimeTokens } from '../../one-time-tokens/void-one-time-tokens.sql.ts'
import { endAllSessions } from '../../sessions/end-all-sessions.sql.ts'
import type { User } from '../../users/user.entity.ts'

/**
 * Gives a user a new password. Whoever got in under the old one is out: all sessions end, and what was
 * sent before opens nothing any more.
 */
export async function replacePassword(
  { sql }: TransactionContext,
  user: User,
  passwordHash: string,
): Promise<void> {
  user.passwordHash = passwordHash
  user.confirmationSentAt = null
  user.recoverySentAt = null
  user.emailChangeSentAt = null
  user.phoneChangeSentAt = null
  user.reauthenticationSentAt = null
  await voidOneTimeTokens(sql, user.id)
  await endAllSessions(sql, user.id)
}
