import { auditNote } from '../../audit/audit-note.ts'
import type { AuthContext } from '../../deps.ts'
import { validationFailed } from '../../errors/request-errors.ts'
import type { Admin } from '../../steps/authenticate-admin.ts'
import { banForGood, readBan } from '../../users/read-ban.ts'
import { setBan } from '../../users/set-ban.sql.ts'
import type { User } from '../../users/user.ts'
import { userNotFound } from '../../users/user-errors.ts'
import { requireUserId } from './require-user-by-id.ts'

/**
 * Bans a user. Sessions stay, but open nothing from the next request on until the ban ends; changes of address that
 * wait are void.
 *
 * @param duration such as `24h`; for good when left out.
 * @throws AuthError `validation_failed` (400, or 404 for a malformed id), `user_not_found` (404).
 */
export async function banUser(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  duration: string | undefined,
): Promise<User> {
  const until = duration === undefined ? banForGood : readBan(duration, ctx.clock.now(), 'duration')
  if (!until) throw validationFailed('duration: has to be longer; unbanUser lifts a ban')
  return store(ctx, admin, userId, until)
}

/**
 * Lifts a ban, if there is one.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export const unbanUser = (ctx: AuthContext, admin: Admin, userId: string): Promise<User> =>
  store(ctx, admin, userId, null)

async function store(
  ctx: AuthContext,
  admin: Admin,
  userId: string,
  until: Date | null,
): Promise<User> {
  const id = requireUserId(userId)
  const entry = { action: 'user_modified', actorRole: admin.role, userId: id } as const
  const note = auditNote(ctx, entry)
  const changed = await setBan(ctx.sql, {
    userId: id,
    until,
    now: ctx.clock.now(),
    auditRows: note.rows,
  })
  if (!changed) throw userNotFound()
  note.log()
  return changed
}
