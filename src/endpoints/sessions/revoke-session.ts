import { event } from '../../accounts/acts/event-rows.ts'
import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { deleteSession } from '../../accounts/sessions/delete-session.sql.ts'
import { noSuchSession } from '../../accounts/sessions/session-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'

/**
 * Ends one of the caller's sessions, for example on a lost device, or the current one.
 *
 * @throws AuthError `validation_failed` (400) for an invalid UUID, `session_not_found` (404) when
 *   the caller has no such session.
 */
export async function revokeSession(
  ctx: AuthContext,
  { user }: Caller,
  sessionId: string,
): Promise<void> {
  if (!isUuid(sessionId)) throw validationFailed('session_id: has to be a UUID')
  const traits = { session_id: sessionId.toLowerCase() }
  const ending = { scope: 'local', ...traits, reason: 'revoked' } as const
  const act = {
    audit: { action: 'logout', actorId: user.id, traits },
    events: { userId: user.id, events: [event('session.ended', ending)] },
  } as const
  const ended = await performAct(ctx, act, (rows) =>
    deleteSession(ctx.sql, { userId: user.id, sessionId, ...rows }),
  )
  if (!ended) throw noSuchSession()
}
