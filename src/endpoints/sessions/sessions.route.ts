import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Caller } from '../../accounts/callers/authenticate-caller.ts'
import { presentSessionInfo } from '../../accounts/sessions/present-session-info.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { type LiveSessions, liveSessions } from '../../accounts/sign-in/live-sessions.ts'
import { subjectNotFound } from '../../accounts/users/user-errors.ts'
import { Answer, answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { createPageTurns, readPage, setPageHeaders } from '../../platform/http/paging.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import { revokeSession } from './revoke-session.ts'
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
      const inTurn = createPageTurns()
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
