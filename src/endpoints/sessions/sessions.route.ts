import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { endSession } from '../../accounts/lifecycle/end-session.ts'
import { presentSessionInfo } from '../../accounts/sessions/present-session.ts'
import { noSuchSession } from '../../accounts/sessions/session-errors.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { type LiveSessions, liveSessions } from '../../accounts/sign-in/live-sessions.ts'
import { subjectNotFound } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer, answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { createPageSemaphore, readPage, setPageHeaders } from '../../platform/http/paging.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import { deleteSessionEndpoint, listSessionsEndpoint } from './sessions.endpoint.ts'

/** @throws AuthError `user_not_found` (403) where the user was deleted meanwhile. */
async function listOwnSessions(
  ctx: AuthContext,
  { user, session }: Caller,
  input: ListSessionsInput,
): Promise<LiveSessions> {
  const listed = await liveSessions(ctx, user.id, input, session?.id)
  if (!listed) throw subjectNotFound()
  return listed
}

export const sessionsRoutes = [
  implementSeparately(listSessionsEndpoint, {
    handle: () => {
      const inTurn = createPageSemaphore()
      return async ({ ctx, event, caller }) => {
        const page = readPage(event)
        return inTurn(page, async () => {
          const { sessions, total } = await listOwnSessions(ctx, caller, page)
          setPageHeaders(event, page, total)
          return answerJsonText(event, await jsonList(sessions, presentSessionInfo))
        })
      }
    },
    run: async ({ ctx, caller, input }) => (await listOwnSessions(ctx, caller, input)).sessions,
  }),
  implement(deleteSessionEndpoint, {
    run: ({ ctx, caller, ids }) => revokeSession(ctx, caller, ids.sessionId),
    present: () => new Answer(204),
  }),
] as const

/**
 * Ends one of the caller's sessions, for example on a lost device, or the current one.
 *
 * @throws AuthError `validation_failed` (400) for an invalid UUID, `session_not_found` (404) when
 *   the caller has no such session.
 */
async function revokeSession(ctx: AuthContext, { user }: Caller, sessionId: string): Promise<void> {
  if (!isUuid(sessionId)) throw validationFailed('session_id: has to be a UUID')
  const traits = { session_id: sessionId.toLowerCase() }
  const actor = { ownerId: user.id, actorId: user.id, traits }
  if (!(await endSession(ctx, { ...actor, sessionId, reason: 'revoked' }))) throw noSuchSession()
}
