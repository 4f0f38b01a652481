import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { deleteUser } from '../../accounts/lifecycle/delete-user.sql.ts'
import {
  deleteImportRecords,
  findMissing,
  type ImportRange,
} from '../../accounts/users/imported-users.sql.ts'

export interface MissingUsers {
  missing: number
  removed: number
}

/**
 * Counts the users of earlier runs that no longer exist at the source, and deletes them on request.
 * Deletion is optional, since with the URL of another project's database all users would be
 * missing.
 */
export async function settleMissing(
  ctx: AuthContext,
  admin: Admin,
  range: ImportRange,
  { prune = false }: { prune?: boolean },
): Promise<MissingUsers> {
  const missing = await findMissing(ctx.sql, range, { locks: prune })
  if (!prune) return { missing: missing.length, removed: 0 }
  const removable = missing.filter(({ isUntouched }) => isUntouched).map(({ id }) => id)
  for (const userId of removable) {
    await performAct(
      ctx,
      {
        audit: { action: 'user_deleted', actorRole: admin.role, userId },
        events: { userId, events: [event('user.deleted', {})] },
      },
      (rows) => deleteUser(ctx.sql, { userId, ...rows }),
      (result) => result === 'now',
    )
  }
  await deleteImportRecords(ctx.sql, removable)
  return { missing: missing.length, removed: removable.length }
}
