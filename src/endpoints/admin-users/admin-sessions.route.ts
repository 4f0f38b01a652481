import { presentSessionInfo } from '../../accounts/sessions/present-session-info.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer, answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { createPageTurns, readPage, setPageHeaders } from '../../platform/http/paging.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import {
  deleteSessionByIdEndpoint,
  deleteSessionsByIdEndpoint,
  listSessionsByIdEndpoint,
} from './admin-sessions.endpoint.ts'
import { listUserSessions, revokeUserSession, signOutUser } from './user-sessions.ts'

export const adminSessionsRoutes = [
  implementSeparately(listSessionsByIdEndpoint, {
    handle: () => {
      const inTurn = createPageTurns()
      return async ({ ctx, event, ids }) => {
        const page = readPage(event)
        return inTurn(page, async () => {
          const { sessions, total } = await listUserSessions(ctx, ids.userId, page)
          setPageHeaders(event, page, total)
          return answerJsonText(event, await jsonList(sessions, presentSessionInfo))
        })
      }
    },
    run: async ({ ctx, ids, input }) => (await listUserSessions(ctx, ids.userId, input)).sessions,
  }),
  implementSeparately(deleteSessionsByIdEndpoint, {
    handle:
      () =>
      async ({ ctx, event, admin, ids }) => {
        // The other scopes of users depend on their current session. An operator has none.
        if ((readQuery(event, 'scope') ?? 'global') !== 'global') {
          throw validationFailed('scope: has to be global')
        }
        await signOutUser(ctx, admin, ids.userId)
        return new Answer(204)
      },
    run: ({ ctx, admin, ids }) => signOutUser(ctx, admin, ids.userId),
  }),
  implement(deleteSessionByIdEndpoint, {
    run: ({ ctx, admin, ids }) => revokeUserSession(ctx, admin, ids.userId, ids.sessionId),
    present: () => new Answer(204),
  }),
] as const
