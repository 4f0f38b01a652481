/** What a client holds of its session: the tokens that prove and renew it. */
export interface SessionTokens {
  id: string
  /** A JWT for the `Authorization` header. */
  accessToken: string
  /** Good once; a refresh answers the next. */
  refreshToken: string
  /** When the access token expires. */
  expiresAt: Date
  expiresInSeconds: number
}
