import type { AuthContext, TransactionContext } from '../auth-context.ts'
import { lockUser } from '../users/lock-user.sql.ts'

/**
 * Runs work while nobody else can change the user: for a change that was worked out from what somebody
 * replaced before it was written. Among many at once, the others wait their turn.
 *
 * @param work reads the user anew. It must not tell anybody of what it stored: that is not there yet.
 */
export const withLockedUser = <T>(
  ctx: AuthContext,
  userId: string,
  work: (ctx: TransactionContext) => Promise<T>,
): Promise<T> =>
  ctx.transaction(async (tx) => {
    await lockUser(tx.sql, userId)
    return work(tx)
  })
