/**
 * The claims of an access token, in their wire form.
 *
 * @see RFC 7519 §4
 */
export interface AccessTokenClaims {
  iss?: string
  /** The user's id. Absent from an operator's token for administration. */
  sub?: string
  aud?: string | string[]
  /** Seconds since 1970-01-01 UTC, like `nbf`, `iat` and the timestamps of `amr`. */
  exp?: number
  nbf?: number
  iat?: number
  role?: string
  email?: string
  phone?: string
  app_metadata?: Record<string, unknown>
  user_metadata?: Record<string, unknown>
  /** The assurance level of the session: `aal1` or `aal2`. @see NIST SP 800-63B §4 */
  aal?: string
  /** The authentication methods and their times. @see RFC 8176 */
  amr?: { method: string; timestamp: number }[]
  session_id?: string
  is_anonymous?: boolean
  /** The OAuth client that the token was issued to. @see RFC 9068 §2.2 */
  client_id?: string
  /** The scopes of that client, separated by spaces. */
  scope?: string
  [claim: string]: unknown
}

/** Whether a token of a client is for a resource. All such tokens have an id, and no others. */
export const isForResource = (
  claims: AccessTokenClaims,
): claims is AccessTokenClaims & { client_id: string } =>
  claims.client_id !== undefined && claims['jti'] !== undefined
