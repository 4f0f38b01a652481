import type { EndedSessions } from '../../platform/config/sections/hooks.ts'
import { event } from '../acts/event-rows.ts'
import { performAct } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import { deleteSession } from '../sessions/sessions.sql.ts'

/** The session that ends, and the party that ends it. */
interface SessionEnd extends Pick<AuditEvent, 'actorId' | 'actorRole' | 'traits'> {
  /** Whose session it is. */
  ownerId: string
  sessionId: string
  /** `sign_out` by its user, `revoked` by an operator or in another session of the user. */
  reason: Extract<EndedSessions['reason'], 'sign_out' | 'revoked'>
}

/**
 * Ends one session of a user. Records the end if there was one.
 *
 * @returns whether the user had this session.
 */
export function endSession(
  ctx: AuthContext,
  { ownerId: userId, sessionId, reason, ...audit }: SessionEnd,
): Promise<boolean> {
  const id = sessionId.toLowerCase()
  const ended = event('session.ended', { scope: 'local', session_id: id, reason })
  return performAct(
    ctx,
    {
      audit: { action: 'logout', ...(audit.actorId !== userId && { userId }), ...audit },
      events: { userId, events: [ended] },
    },
    (rows) => deleteSession(ctx.sql, { userId, sessionId: id, ...rows }),
  )
}
