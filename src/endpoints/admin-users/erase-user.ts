import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { erasePerson } from '../../accounts/lifecycle/erase-person.ts'
import { userNotFound } from '../../accounts/users/user-errors.ts'
import { requireUserId } from './require-user-by-id.ts'

/**
 * Removes everything that is stored about a person, also about one who was deleted before. What
 * remains of the audit log tells of somebody.
 *
 * @throws AuthError `validation_failed` (404) for what is no UUID, `user_not_found` (404) when there is
 *   nothing.
 */
export async function eraseUser(ctx: AuthContext, admin: Admin, userId: string): Promise<void> {
  if (!(await erasePerson(ctx, requireUserId(userId), admin))) throw userNotFound()
}
