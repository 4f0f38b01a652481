import type { AuthContext } from '../../deps.ts'
import { findSessions } from '../../sessions/find-sessions.sql.ts'
import { type Session, type SessionRow, toSession } from '../../sessions/session.ts'
import type { SessionInfo } from '../../sessions/session-info.ts'
import { isOver, sessionLimits } from '../../sessions/session-limits.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'

/** The caller's sessions that can still be renewed, the one that was used last first. */
export async function listSessions(
  ctx: AuthContext,
  { account, session: own }: Caller,
): Promise<SessionInfo[]> {
  const now = ctx.clock.now()
  const limits = sessionLimits(ctx.config.sessions, now)
  const rows = await findSessions(ctx.sql, account.id)
  return rows
    .map((row) => ({ row, session: toSession(row) }))
    .filter(({ session }) => !isOver(session, limits, now))
    .map(({ row, session }) => describe(row, session, own?.id))
}

const describe = (row: SessionRow, session: Session, ownId: string | undefined): SessionInfo => ({
  id: session.id,
  aal: session.aal,
  createdAt: session.createdAt,
  lastUsedAt: session.refreshedAt ?? session.createdAt,
  ip: row.ip,
  userAgent: row.user_agent,
  isCurrent: session.id === ownId,
})
