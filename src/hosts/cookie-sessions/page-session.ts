import type { PageSession } from './request-session.ts'
import type { SignedInViewer } from './signed-in-viewer.ts'

/**
 * Returns the placeholder of the refresh token in a page. It stays the same when the session is
 * renewed, since the client treats a change as a sign-in of another user.
 */
export const refreshTokenOfPage = (sessionId: string): string => `cookie-${sessionId}`

/** Returns the id of the session that such a placeholder names; null for any other text. */
export const sessionNamedByPage = (text: string): string | null =>
  /^cookie-([0-9a-f-]{36})$/.exec(text)?.[1] ?? null

/** Returns the session for a page: injected scripts can use it, but not copy it for longer use. */
export function presentPageSession(
  { accessToken, claims, sessionId, userId }: SignedInViewer & { sessionId: string },
  now: Date,
): PageSession {
  const expiresAt = claims.exp ?? 0
  const {
    aud,
    role,
    email,
    phone,
    app_metadata = {},
    user_metadata = {},
    is_anonymous = false,
  } = claims
  return {
    access_token: accessToken,
    refresh_token: refreshTokenOfPage(sessionId),
    token_type: 'bearer',
    expires_at: expiresAt,
    expires_in: Math.max(0, expiresAt - Math.floor(now.getTime() / 1000)),
    user: { id: userId, aud, role, email, phone, app_metadata, user_metadata, is_anonymous },
  }
}
