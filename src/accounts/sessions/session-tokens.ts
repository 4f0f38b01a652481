/** What a client holds of its session: the tokens that prove and renew it. */
export interface SessionTokens {
  id: string
  /** A JWT for the `Authorization` header. */
  accessToken: string
  /** For one refresh, which answers the next one. */
  refreshToken: string
  /** When the access token expires. */
  expiresAt: Date
  /** The same, in seconds from when it was issued. */
  expiresInSeconds: number
}
