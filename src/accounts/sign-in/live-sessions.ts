import type { AuthContext } from '../auth-context.ts'
import { findSessions } from '../sessions/find-sessions.sql.ts'
import { type Session, type SessionRow, toSession } from '../sessions/session.ts'
import type { SessionInfo } from '../sessions/session-info.ts'
import { sessionLimits } from '../sessions/session-limits.ts'
import type { User } from '../users/user.ts'

/**
 * The live sessions of a user, the last used first, as many as a user may have at most.
 *
 * @param askingId the session that asks, where one does.
 */
export async function liveSessions(
  ctx: AuthContext,
  user: User,
  askingId?: string,
): Promise<SessionInfo[]> {
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const rows = await findSessions(ctx.sql, user.id, limits, ctx.config.sessions.maxPerUser)
  return rows.map((row) => describe(row, toSession(row), askingId))
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
