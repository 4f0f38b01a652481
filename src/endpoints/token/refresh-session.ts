import type { AuthContext } from '../../accounts/auth-context.ts'
import { type RenewedSession, renewSession } from '../../accounts/lifecycle/renew-session.ts'
import { rotateSession } from '../../accounts/sessions/rotate.sql.ts'
import { userExpression } from '../../accounts/users/user-row.ts'

/**
 * Exchanges a refresh token of the user's own session for a new access token and the next refresh
 * token.
 *
 * @throws AuthError as {@link renewSession}.
 */
export const refreshSession = (ctx: AuthContext, text: string): Promise<RenewedSession> =>
  renewSession(ctx, text, {
    clientId: null,
    rotate: (rotation) => rotateSession(ctx.sql, userExpression, rotation),
  })
