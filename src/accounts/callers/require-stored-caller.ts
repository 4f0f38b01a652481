import type { AuthContext } from '../auth-context.ts'
import { findCaller } from '../sessions/find-caller.sql.ts'
import { type Session, toSession } from '../sessions/session.ts'
import { requireLiveSession } from '../sessions/session-errors.ts'
import { sessionLimits } from '../sessions/session-limits.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserExpression,
  toStoredUser,
} from '../users/find-user.sql.ts'
import { subjectNotFound } from '../users/user-errors.ts'

/** The actor of a change, and its session. */
export interface Actor {
  userId: string
  /** Null for a token without a session. */
  sessionId: string | null
}

/**
 * Reads the actor again, with all data from which a change of the account is computed.
 *
 * @throws AuthError `user_not_found`, `session_not_found`, `session_expired`, `user_banned` (403).
 */
export async function requireStoredCaller(
  ctx: AuthContext,
  { userId, sessionId }: Actor,
): Promise<{ stored: StoredUser; session: Session | null }> {
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const lookUp = { userId, sessionId, limits }
  const found = await findCaller<StoredUserColumns>(ctx.sql, storedUserExpression, lookUp)
  if (!found) throw subjectNotFound()
  requireLiveSession(found.ending)
  return { stored: toStoredUser(found.user), session: found.session && toSession(found.session) }
}
