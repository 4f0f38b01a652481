import { setImmediate as letOthersRun } from 'node:timers/promises'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { type DeviceName, loadDeviceNames } from '../../platform/kit/device-name.ts'
import type { AuthContext } from '../auth-context.ts'
import { type SessionRow, toSession } from '../sessions/session.ts'
import type { ListSessionsInput, SessionInfo } from '../sessions/session-info.ts'
import { sessionLimits } from '../sessions/session-limits.ts'
import { findSessions } from '../sessions/sessions.sql.ts'

export interface LiveSessions {
  sessions: SessionInfo[]
  /** The number of live sessions on all pages. */
  total: number
}

const maxPerPage = 10_000

/**
 * The number of sessions described without a pause: a user agent is searched for each known name,
 * so these take a few milliseconds.
 */
const describedAtOnce = 50

/**
 * Returns one page of the live sessions of a user, the last used first; null for no such user.
 *
 * @param currentId the session of the caller, where there is one.
 * @throws AuthError `validation_failed`, naming the field.
 */
export async function liveSessions(
  ctx: AuthContext,
  userId: string,
  { page = 1, perPage = mostSessionsOf(ctx) }: ListSessionsInput,
  currentId?: string,
): Promise<LiveSessions | null> {
  requireWithin('page', page, 1_000_000_000)
  requireWithin('per_page', perPage, maxPerPage)
  const limits = sessionLimits(ctx.config.sessions, ctx.clock.now())
  const found = await findSessions(ctx.sql, userId, limits, {
    limit: perPage,
    offset: (page - 1) * perPage,
  })
  if (!found) return null
  const deviceName = await loadDeviceNames()
  const sessions: SessionInfo[] = []
  for (const row of found.sessions) {
    if (sessions.length % describedAtOnce === describedAtOnce - 1) await letOthersRun()
    sessions.push(describe(row, deviceName, currentId))
  }
  return { sessions, total: found.total }
}

/**
 * Returns the maximum number of sessions of a user: those of their own, and those of OAuth clients.
 */
const mostSessionsOf = ({ config }: Pick<AuthContext, 'config'>): number =>
  Math.min(2 * config.sessions.maxPerUser, maxPerPage)

function requireWithin(name: string, value: number, most: number): void {
  if (value < 1 || value > most) throw validationFailed(`${name}: has to be from 1 to ${most}`)
}

function describe(
  row: SessionRow,
  deviceName: DeviceName,
  currentId: string | undefined,
): SessionInfo {
  const session = toSession(row)
  return {
    id: session.id,
    aal: session.aal,
    createdAt: session.createdAt,
    lastUsedAt: session.refreshedAt ?? session.createdAt,
    ip: row.ip,
    device: deviceName(row.user_agent),
    userAgent: row.user_agent,
    isCurrent: session.id === currentId,
  }
}
