import type { IssuedSession } from '../sessions/session.ts'

/**
 * A token response.
 *
 * @param user as `present-user.ts` made it.
 * @see RFC 6749 §5.1
 */
export const presentSession = (
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
