/**
 * What an access token says about its user and session, as it travels.
 *
 * @see RFC 7519 §4
 */
export interface AccessTokenClaims {
  iss?: string
  /** The user's id. Absent from a token that an operator made for administration. */
  sub?: string
  aud?: string | string[]
  /** In seconds since 1970-01-01 UTC; so are `nbf`, `iat` and the timestamps of `amr`. */
  exp?: number
  nbf?: number
  iat?: number
  role?: string
  email?: string
  phone?: string
  app_metadata?: Record<string, unknown>
  user_metadata?: Record<string, unknown>
  /** How strongly the session was proved: `aal1` or `aal2`. @see NIST SP 800-63B §4 */
  aal?: string
  /** By which methods, and when. @see RFC 8176 */
  amr?: { method: string; timestamp: number }[]
  session_id?: string
  is_anonymous?: boolean
  [claim: string]: unknown
}
