import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { endUserSessions } from '../../accounts/lifecycle/end-sessions.sql.ts'
import { deleteSession } from '../../accounts/sessions/delete-session.sql.ts'
import { noSuchSession } from '../../accounts/sessions/session-errors.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { type LiveSessions, liveSessions } from '../../accounts/sign-in/live-sessions.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { requireUserId } from './find-user.ts'

/**
 * Lists the live sessions of a user, the last used first.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404).
 */
export async function listUserSessions(
  ctx: AuthContext,
  userId: string,
  input: ListSessionsInput,
): Promise<LiveSessions> {
  const listed = await liveSessions(ctx, requireUserId(userId), input)
  if (!listed) throw userNotFound()
  return listed
}

/**
 * Ends all sessions of a user, and cancels the changes of address that they requested.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404).
 */
export async function signOutUser(ctx: AuthContext, admin: Admin, userId: string): Promise<void> {
  const id = requireUserId(userId)
  const ending = { scope: 'global', session_id: null, reason: 'revoked' } as const
  const ended = await performAct(
    ctx,
    {
      audit: { action: 'logout', actorRole: admin.role, userId: id },
      events: { userId: id, events: [event('session.ended', ending)] },
    },
    (rows) => endUserSessions(ctx.sql, { userId: id, ...rows }),
    (count) => count !== null && count > 0,
  )
  if (ended === null) throw userNotFound()
}

/**
 * Ends one session of a user.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `session_not_found` (404) when
 *   the user has no such session.
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
  const ending = { scope: 'local', ...traits, reason: 'revoked' } as const
  const act = {
    audit: { action: 'logout', actorRole: admin.role, userId: id, traits },
    events: { userId: id, events: [event('session.ended', ending)] },
  } as const
  const ended = await performAct(ctx, act, (rows) =>
    deleteSession(ctx.sql, { userId: id, sessionId, ...rows }),
  )
  if (!ended) throw noSuchSession()
}
