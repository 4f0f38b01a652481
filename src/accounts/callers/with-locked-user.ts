import type { AuthContext, TransactionContext } from '../auth-context.ts'
import { lockUser } from '../users/lock-user.sql.ts'

/**
 * Runs work while no other request can change the user, for a change that depends on data which a
 * concurrent request may replace. Concurrent requests wait.
 *
 * @param work reads the user again. It must not send data that it stored: the transaction is not
 *   committed yet.
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
