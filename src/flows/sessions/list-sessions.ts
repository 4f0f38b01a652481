import type { AuthContext } from '../../deps.ts'
import type { SessionInfo } from '../../sessions/session-info.ts'
import type { Caller } from '../../steps/authenticate-caller.ts'
import { liveSessions } from '../../steps/live-sessions.ts'

/** The caller's sessions that can still be renewed, the one that was used last first. */
export const listSessions = (ctx: AuthContext, { user, session }: Caller): Promise<SessionInfo[]> =>
  liveSessions(ctx, user, session?.id)
