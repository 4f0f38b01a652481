import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import {
  type Deletion,
  type DeletionResult,
  deleteUser as deleteRow,
  softDeleteUser,
} from '../../accounts/lifecycle/delete-user.sql.ts'
import { eraseAccount } from '../../accounts/lifecycle/erase-account.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { retryLostRaces } from '../../platform/sql/retry.ts'
import { requireUserId } from './find-user.ts'

/**
 * Deletes a user with sessions, identities and messages. Audit entries stay.
 *
 * @param soft keeps the row, without personal data, for references to it.
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404),
 *   `conflict` (409) where concurrent requests keep changing the user.
 */
export async function deleteUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  { soft }: { soft: boolean },
): Promise<void> {
  const id = requireUserId(userId)
  const act = {
    audit: { action: 'user_deleted', actorRole: admin.role, userId: id },
    events: { userId: id, events: [event('user.deleted', {})] },
  } as const
  const deleted = await performAct(
    ctx,
    act,
    (rows) =>
      soft ? softDelete(ctx, { userId: id, ...rows }) : deleteRow(ctx.sql, { userId: id, ...rows }),
    (result) => result === 'now',
  )
  if (deleted === 'unknown') throw userNotFound()
}

const softDelete = (ctx: AuthContext, deletion: Required<Deletion>): Promise<DeletionResult> =>
  retryLostRaces(async () => {
    const result = await softDeleteUser(ctx.sql, { ...deletion, now: ctx.clock.now() })
    return result === 'changed' ? null : result
  })

/**
 * Erases all personal data of a user, also after a deletion. The remaining audit
 * entries do not identify the user.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404) when no
 *   data is stored.
 */
export async function eraseUser(ctx: AuthContext, admin: Admin, userId: string): Promise<void> {
  const by = { operator: admin }
  if (!(await eraseAccount(ctx, requireUserId(userId), by))) throw userNotFound()
}
