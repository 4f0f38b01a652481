import type { AuthContext } from '../deps.ts'
import { findSessions } from '../sessions/find-sessions.sql.ts'
import { type Session, type SessionRow, toSession } from '../sessions/session.ts'
import type { SessionInfo } from '../sessions/session-info.ts'
import { isOver, sessionLimits } from '../sessions/session-limits.ts'
import { hasVerifiedFactor, type User } from '../users/user.ts'

/**
 * A user's sessions that can still be renewed, the one that was used last first.
 *
 * @param askingId the session that asks, where one does.
 */
export async function liveSessions(
  ctx: AuthContext,
  user: User,
  askingId?: string,
): Promise<SessionInfo[]> {
  const now = ctx.clock.now()
  const limits = sessionLimits(ctx.config.sessions, now)
  const rows = await findSessions(ctx.sql, user.id)
  const hasFactor = hasVerifiedFactor(user)
  return rows
    .map((row) => ({ row, session: toSession(row) }))
    .filter(({ session }) => !isOver(session, limits, { now, hasFactor }))
    .map(({ row, session }) => describe(row, session, askingId))
}

const describe = (
  row: SessionRow,
  session: Session,
  askingId: string | undefined,
): SessionInfo => ({
  id: session.id,
  aal: session.aal,
  createdAt: session.createdAt,
  lastUsedAt: session.refreshedAt ?? session.createdAt,
  ip: row.ip,
  userAgent: row.user_agent,
  isCurrent: session.id === askingId,
})
