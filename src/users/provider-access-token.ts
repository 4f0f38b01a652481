/** An access token of a provider, for requests to it in the name of the person. */
export interface ProviderAccessToken {
  accessToken: string
  /** Null where the provider does not say. */
  expiresAt: Date | null
  /** What the token allows, as the provider calls it; null where it does not say. */
  scopes: string[] | null
}
