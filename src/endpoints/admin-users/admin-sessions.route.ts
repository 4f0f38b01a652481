import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { endSession } from '../../accounts/lifecycle/end-session.ts'
import { revokeAllSessions } from '../../accounts/lifecycle/revoke-all-sessions.ts'
import { presentSessionInfo } from '../../accounts/sessions/present-session.ts'
import { noSuchSession } from '../../accounts/sessions/session-errors.ts'
import type { ListSessionsInput } from '../../accounts/sessions/session-info.ts'
import { type LiveSessions, liveSessions } from '../../accounts/sign-in/live-sessions.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { Answer, answerJsonText, jsonList } from '../../platform/http/answer.ts'
import { createPageSemaphore, readPage, setPageHeaders } from '../../platform/http/paging.ts'
import { readQuery } from '../../platform/http/read-request.ts'
import { isUuid } from '../../platform/kit/uuid.ts'
import { implement, implementSeparately } from '../http/implement.ts'
import {
  deleteSessionByIdEndpoint,
  deleteSessionsByIdEndpoint,
  listSessionsByIdEndpoint,
} from './admin-sessions.endpoint.ts'
import { requireUserId } from './find-user.ts'

export const adminSessionsRoutes = [
  implementSeparately(listSessionsByIdEndpoint, {
    handle: () => {
      const inTurn = createPageSemaphore()
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

async function listUserSessions(
  ctx: AuthContext,
  userId: string,
  input: ListSessionsInput,
): Promise<LiveSessions> {
  const listed = await liveSessions(ctx, requireUserId(userId), input)
  if (!listed) throw userNotFound()
  return listed
}

async function signOutUser(ctx: AuthContext, admin: Admin, userId: string): Promise<void> {
  const revocation = { reason: 'revoked', actorRole: admin.role } as const
  const ended = await revokeAllSessions(ctx, requireUserId(userId), revocation)
  if (ended === null) throw userNotFound()
}

async function revokeUserSession(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  sessionId: string,
): Promise<void> {
  const id = requireUserId(userId)
  if (!isUuid(sessionId)) throw validationFailed('session_id must be an UUID', 404)
  const traits = { session_id: sessionId.toLowerCase() }
  const actor = { ownerId: id, actorRole: admin.role, traits }
  if (!(await endSession(ctx, { ...actor, sessionId, reason: 'revoked' }))) throw noSuchSession()
}
