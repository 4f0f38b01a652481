import type { EndedSessions } from '../../platform/config/sections/hooks.ts'
import { event } from '../acts/event-rows.ts'
import { performAct } from '../acts/record-act.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import { seeingChanges } from '../callers/with-locked-user.ts'
import { endUserSessions } from './end-sessions.sql.ts'

/** The party that revokes the sessions of a user, other than the user. */
interface Revocation extends Pick<AuditEvent, 'actorRole' | 'traits'> {
  /** `revoked` by an operator, `rejected` by a hook of the application. */
  reason: Extract<EndedSessions['reason'], 'revoked' | 'rejected'>
}

/**
 * Ends all sessions of a user on behalf of another party. Records the end if there was a session. An
 * unknown id costs the same statement.
 *
 * @returns the number of sessions; null when there is no such user.
 */
export function revokeAllSessions(
  ctx: AuthContext,
  userId: string,
  { reason, ...audit }: Revocation,
): Promise<number | null> {
  const ended = event('session.ended', { scope: 'global', session_id: null, reason })
  return performAct(
    ctx,
    {
      audit: { action: 'logout', userId, ...audit },
      events: { userId, events: [ended] },
    },
    (rows) => seeingChanges(ctx, userId, (sql) => endUserSessions(sql, { userId, ...rows })),
    Boolean,
  )
}
