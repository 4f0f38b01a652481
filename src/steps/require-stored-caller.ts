import type { AuthContext } from '../deps.ts'
import { findCaller } from '../sessions/find-caller.sql.ts'
import { type Session, toSession } from '../sessions/session.ts'
import { sessionNotFound } from '../sessions/session-errors.ts'
import {
  type StoredUser,
  type StoredUserColumns,
  storedUserExpression,
  toStoredUser,
} from '../users/find-user.sql.ts'
import { isBanned } from '../users/user.ts'
import { subjectNotFound, userBanned } from '../users/user-errors.ts'

/** Who acts, and on which session. */
export interface Actor {
  userId: string
  /** Null for a token that names no session. */
  sessionId: string | null
}

/**
 * Reads anew who acts, with all that a change of the account is worked out from.
 *
 * @throws AuthError `user_not_found`, `session_not_found`, `user_banned` (403).
 */
export async function requireStoredCaller(
  ctx: AuthContext,
  { userId, sessionId }: Actor,
): Promise<{ stored: StoredUser; session: Session | null }> {
  const found = await findCaller<StoredUserColumns>(
    ctx.sql,
    storedUserExpression,
    userId,
    sessionId,
  )
  if (!found) throw subjectNotFound()
  if (sessionId !== null && !found.session) throw sessionNotFound()
  const stored = toStoredUser(found.user)
  if (isBanned(stored.user, ctx.clock.now())) throw userBanned()
  return { stored, session: found.session && toSession(found.session) }
}
