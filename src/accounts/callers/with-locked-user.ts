import type { Queryable } from '../../platform/sql/queryable.ts'
import type { AuthContext, TransactionContext } from '../auth-context.ts'
import { lockUser } from '../users/find-user.sql.ts'
import { type Caller, requireCaller } from './authenticate-caller.ts'

/**
 * Runs work while no other request can change the caller's account, for a change whose conditions
 * depend on it.
 *
 * @param work receives the caller as read under the lock. Its session is still live.
 * @throws AuthError as {@link requireCaller}.
 */
export const withLockedCaller = <T>(
  ctx: AuthContext,
  { user, claims }: Pick<Caller, 'user' | 'claims'>,
  work: (tx: TransactionContext, current: Caller) => Promise<T>,
): Promise<T> =>
  withLockedUser(ctx, user.id, async (tx) => work(tx, await requireCaller(tx, claims)))

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

/**
 * Runs a statement that ends sessions of a user. Where a concurrent change kept it from taking
 * effect, the user is locked first, so that the second attempt sees the change and waits for no
 * further one.
 */
export async function seeingChanges<T>(
  ctx: AuthContext,
  userId: string,
  run: (sql: Queryable) => Promise<T | 'changed'>,
): Promise<T> {
  const result = await run(ctx.sql)
  if (result !== 'changed') return result
  return withLockedUser(ctx, userId, async (tx) => {
    const again = await run(tx.sql)
    if (again === 'changed') throw new Error('a locked user was changed')
    return again
  })
}
