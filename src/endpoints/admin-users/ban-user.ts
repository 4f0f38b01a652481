import { performAct } from '../../accounts/acts/record-act.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { setBan } from '../../accounts/lifecycle/set-ban.sql.ts'
import { banForGood, readBan } from '../../accounts/users/read-ban.ts'
import type { User } from '../../accounts/users/user.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { requireUserId } from './find-user.ts'

const maxReasonLength = 500

/**
 * Bans a user. Sessions stay stored, but are rejected until the ban ends. Pending changes of
 * address are cancelled.
 *
 * @param ban.duration such as `24h`; permanent by default.
 * @param ban.reason stored in the audit entry. It is erased with the user, and not logged.
 * @throws AuthError `validation_failed` (400, or 404 for a malformed id), `user_not_found` (404).
 */
export async function banUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  { duration, reason }: { duration?: string | undefined; reason?: string | undefined },
): Promise<User> {
  if ((reason?.length ?? 0) > maxReasonLength)
    throw validationFailed(`reason: has to be at most ${maxReasonLength} characters`)
  const now = ctx.clock.now()
  const until = duration === undefined ? banForGood : readBan(duration, now, 'duration')
  if (!until || until <= now)
    throw validationFailed('duration: has to be longer; unbanUser lifts a ban')
  return store(ctx, admin, userId, { until, reason })
}

/**
 * Lifts a ban, if there is one.
 *
 * @throws AuthError `validation_failed` (404) for an invalid UUID, `user_not_found` (404).
 */
export const unbanUser = (ctx: AuthContext, admin: Admin, userId: string): Promise<User> =>
  store(ctx, admin, userId, { until: null })

async function store(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  { until, reason }: { until: Date | null; reason?: string | undefined },
): Promise<User> {
  const id = requireUserId(userId)
  const audit = {
    action: 'user_modified',
    actorRole: admin.role,
    userId: id,
    ...(reason && { traits: { ban_reason: reason } }),
  } as const
  const ban = { userId: id, until, now: ctx.clock.now() }
  const act = { audit, mayReportSessions: until !== null }
  const changed = await performAct(ctx, act, ({ auditRows }) =>
    setBan(ctx.sql, { ...ban, auditRows }),
  )
  if (!changed) throw userNotFound()
  return changed
}
