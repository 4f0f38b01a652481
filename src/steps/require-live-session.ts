import type { AuthContext } from '../deps.ts'
import { sessionNoLongerValid } from '../sessions/session-errors.ts'
import { isOver, sessionLimits } from '../sessions/session-limits.ts'
import { hasVerifiedFactor } from '../users/user.ts'
import type { Caller } from './authenticate-caller.ts'

/**
 * Refuses a session that a rule has ended, though its access token lives on: it must not be made longer.
 *
 * @throws AuthError `session_expired` (403).
 */
export function requireLiveSession(
  { clock, config }: AuthContext,
  { user, session }: Pick<Caller, 'user' | 'session'>,
): void {
  if (!session) return
  const now = clock.now()
  const limits = sessionLimits(config.sessions, now)
  const hasFactor = hasVerifiedFactor(user)
  if (isOver(session, limits, { now, hasFactor })) throw sessionNoLongerValid()
}
