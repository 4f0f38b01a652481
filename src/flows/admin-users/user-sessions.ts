import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { isUuid } from '../../kit/uuid.ts'
import { deleteSession } from '../../sessions/delete-session.sql.ts'
import { noSuchSession } from '../../sessions/session-errors.ts'
import type { SessionInfo } from '../../sessions/session-info.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { rowsOfEnd, tellEvents } from '../../steps/event-rows.ts'
import { liveSessions } from '../../steps/live-sessions.ts'
import { endUserSessions } from '../../users/end-user-sessions.sql.ts'
import { userNotFound } from '../../users/user-errors.ts'
import { requireUserById, requireUserId } from './require-user-by-id.ts'

/**
 * A user's sessions that can still be renewed, the one that was used last first.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export async function listUserSessions(ctx: AuthContext, userId: string): Promise<SessionInfo[]> {
  return liveSessions(ctx, await requireUserById(ctx, userId))
}

/**
 * Ends all sessions of a user, and voids the changes of address that were asked for on them.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export async function signOutUser(ctx: AuthContext, admin: Admin, userId: string): Promise<void> {
  const id = requireUserId(userId)
  const entry = { action: 'logout', actorRole: admin.role, userId: id } as const
  const note = auditNote(ctx, entry)
  const ending = { scope: 'global', session_id: null, reason: 'revoked' } as const
  const ended = await endUserSessions(ctx.sql, {
    userId: id,
    messageRows: rowsOfEnd(ctx, id, ending),
    auditRows: note.rows,
  })
  if (ended === null) throw userNotFound()
  if (ended === 0) return
  note.log()
  tellEvents(ctx)
}

/**
 * Ends one session of a user.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `session_not_found` (404) when the user
 *   has no such session.
 */
export async function revokeUserSession(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  sessionId: string,
): Promise<void> {
  const id = requireUserId(userId)
  if (!isUuid(sessionId)) throw validationFailed('session_id must be an UUID', 404)
  const traits = { session_id: sessionId.toLowerCase() }
  const entry = { action: 'logout', actorRole: admin.role, userId: id, traits } as const
  const note = auditNote(ctx, entry)
  const ending = { scope: 'local', ...traits, reason: 'revoked' } as const
  const ended = await deleteSession(ctx.sql, {
    userId: id,
    sessionId,
    messageRows: rowsOfEnd(ctx, id, ending),
    auditRows: note.rows,
  })
  if (!ended) throw noSuchSession()
  note.log()
  tellEvents(ctx)
}
