import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { eventRows, happened, tellEvents } from '../../steps/event-rows.ts'
import { deleteUser as deleteRow } from '../../users/delete-user.sql.ts'
import { softDeleteUser } from '../../users/soft-delete-user.sql.ts'
import { userNotFound } from '../../users/user-errors.ts'
import { requireUserId } from './require-user-by-id.ts'

/**
 * Deletes a user with sessions, identities and all that was sent. Audit entries stay.
 *
 * @param soft keeps the row, without anything that tells whose it was, for what refers to it.
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export async function deleteUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  { soft }: { soft: boolean },
): Promise<void> {
  const id = requireUserId(userId)
  const entry = { action: 'user_deleted', actorRole: admin.role, userId: id } as const
  const note = auditNote(ctx, entry)
  const messageRows = eventRows(ctx, id, [happened('user.deleted', {})])
  const deletion = { userId: id, auditRows: note.rows, messageRows }
  const deleted = soft
    ? await softDeleteUser(ctx.sql, { ...deletion, now: ctx.clock.now() })
    : await deleteRow(ctx.sql, deletion)
  if (deleted === 'nobody') throw userNotFound()
  if (deleted !== 'now') return
  note.log()
  tellEvents(ctx)
}
