import type { AuthContext } from '../deps.ts'
import { presentUser } from '../http/present-user.ts'
import type { User } from '../users/user.ts'
import { askApplication } from './ask-application.ts'

/**
 * Asks the application whether somebody may become a user. Where the answer to a request must not tell who has an
 * account, it is asked before anybody is looked up, and about whoever would be made.
 *
 * @throws AuthError as the application refuses them, and what a hook throws that does not work.
 */
export async function approveNewcomer(ctx: AuthContext, user: User): Promise<void> {
  await askApplication(ctx, 'beforeUserCreated', { user: presentUser(user) })
}
