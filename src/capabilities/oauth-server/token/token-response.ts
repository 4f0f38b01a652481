import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { SessionTokens } from '../../../accounts/sessions/session-info.ts'

/** The response of the token endpoint. */
export interface ClientTokens {
  session: SessionTokens
  scope: string
  /** Absent where the client may not renew them. */
  hasRefreshToken: boolean
  tokenType: 'bearer' | 'DPoP'
  idToken: string | null
}

/** @see RFC 6749 §5.1, OpenID Connect Core 1.0 §3.1.3.3 */
export const presentTokens = ({
  session,
  scope,
  hasRefreshToken,
  tokenType,
  idToken,
}: ClientTokens): Record<string, unknown> => ({
  access_token: session.accessToken,
  token_type: tokenType,
  expires_in: session.expiresInSeconds,
  ...(hasRefreshToken && { refresh_token: session.refreshToken }),
  ...(idToken !== null && { id_token: idToken }),
  scope,
})

/** A request of a client for tokens. */
export interface TokenRequest {
  ctx: AuthContext
  /** The thumbprint of the key of a proof; null for bearer tokens. */
  keyThumbprint: string | null
}
