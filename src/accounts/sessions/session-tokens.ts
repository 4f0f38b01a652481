/** The tokens that a client stores: they prove and renew its session. */
export interface SessionTokens {
  id: string
  /** A JWT for the `Authorization` header. */
  accessToken: string
  /** Valid for one refresh, which returns the next one. */
  refreshToken: string
  /** The expiry of the access token. */
  expiresAt: Date
  /** The lifetime in seconds from its issue. */
  expiresInSeconds: number
}
