import type { AuthContext } from '../../accounts/auth-context.ts'
import { findById } from '../../accounts/users/find-user.sql.ts'
import type { User } from '../../accounts/users/user.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isUuid } from '../../platform/kit/uuid.ts'

/** @throws AuthError `validation_failed` (404) for what is no UUID. */
export function requireUserId(userId: string): string {
  if (!isUuid(userId)) throw validationFailed('user_id must be an UUID', 404)
  return userId.toLowerCase()
}

/**
 * The user with this id, deleted ones included.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404).
 */
export async function requireUserById(ctx: AuthContext, userId: string): Promise<User> {
  const found = await findById(ctx.sql, requireUserId(userId))
  if (!found) throw userNotFound()
  return found.user
}
