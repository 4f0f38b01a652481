import type { IssuedSession } from '../sessions/session.ts'
import type { Account } from '../users/account.ts'
import { presentUser } from './present-user.ts'

/** A token response. @see RFC 6749 §5.1 */
export const presentSession = (account: Account, session: IssuedSession): Record<string, unknown> =>
  presentSessionOf(presentUser(account), session)

/** The same for a user who is on the wire already. */
export const presentSessionOf = (
  user: Record<string, unknown>,
  session: IssuedSession,
): Record<string, unknown> => ({
  access_token: session.accessToken,
  token_type: 'bearer',
  expires_in: session.expiresInSeconds,
  expires_at: Math.floor(session.expiresAt.getTime() / 1000),
  refresh_token: session.refreshToken,
  user,
})
