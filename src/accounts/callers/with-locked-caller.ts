import type { AuthContext, TransactionContext } from '../auth-context.ts'
import { type Caller, requireCaller } from './authenticate-caller.ts'
import { withLockedUser } from './with-locked-user.ts'

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
