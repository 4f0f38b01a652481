import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import { isUuid } from '../../kit/uuid.ts'
import { deleteSession } from '../../sessions/delete-session.sql.ts'
import { noSuchSession } from '../../sessions/session-errors.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { rowsOfEnd, tellEvents } from '../../steps/event-rows.ts'

/**
 * Ends one of the caller's sessions: a device that was lost, or this one.
 *
 * @throws AuthError `validation_failed` (400) for what is no UUID, `session_not_found` (404) when the
 *   caller has no such session.
 */
export async function revokeSession(
  ctx: AuthContext,
  { user }: Caller,
  sessionId: string,
): Promise<void> {
  if (!isUuid(sessionId)) throw validationFailed('session_id: has to be a UUID')
  const traits = { session_id: sessionId }
  const ending = { scope: 'local', session_id: sessionId.toLowerCase(), reason: 'revoked' } as const
  const note = auditNote(ctx, { action: 'logout', actorId: user.id, traits })
  const ended = await deleteSession(ctx.sql, {
    userId: user.id,
    sessionId,
    messageRows: rowsOfEnd(ctx, user.id, ending),
    auditRows: note.rows,
  })
  if (!ended) throw noSuchSession()
  note.log()
  tellEvents(ctx)
}
