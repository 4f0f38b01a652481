import { askApplication } from '../../delivery/hooks/ask-application.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Approval } from '../users/approval.ts'
import { presentUser } from '../users/present-user.ts'
import type { User } from '../users/user.ts'

/**
 * Requests the application's approval of a new user. Where the response must not reveal whether an
 * account exists, the approval is requested before the look-up, for the user that would be created.
 *
 * @throws AuthError as the hook rejects the user, and when the hook fails.
 */
export async function approveNewUser(ctx: AuthContext, user: User): Promise<Approval> {
  await askApplication(ctx, 'beforeUserCreated', { user: presentUser(user) })
  return {} as Approval
}
