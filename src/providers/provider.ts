import type { ExternalProfile, GrantedTokens } from '../config/sections/provider-definition.ts'

/** What somebody is sent to a provider with. */
export interface AuthorizationOrder {
  /** The value that comes back with them. @see RFC 6749 §10.12 */
  state: string
  /** Scopes that the application asks for beside those of the provider. */
  scopes: readonly string[]
  /** Further parameters for the authorization URL. */
  parameters: Readonly<Record<string, string>>
}

/** Where somebody is sent, and what has to be known when they come back. */
export interface Departure {
  url: string
  /** With OAuth 1.0a, the secret of the temporary token. @see RFC 7636 §4.1, RFC 5849 §2.1 */
  codeVerifier: string | null
  nonce: string | null
}

/** Somebody who comes back: the parameters of the callback, and what was kept of their departure. */
export interface Arrival extends Omit<Departure, 'url'> {
  /** A parameter of the callback; null where it was not sent. */
  parameter(name: string): string | null
}

/** Who came back. */
export interface ExternalSignIn {
  profile: ExternalProfile
  tokens: GrantedTokens
}

/** An external provider that people can sign in with: its definition, bound to the client that was configured. */
export interface Provider {
  /** As the wire and the configuration call it. */
  name: string
  /** What people call it. */
  label: string
  depart(order: AuthorizationOrder): Promise<Departure>
  /** @throws AuthError those of `protocol/provider-errors.ts`, of which `bad_oauth_callback` (400) is for a return without a code. */
  arrive(arrival: Arrival): Promise<ExternalSignIn>
  /**
   * Trades a refresh token for new tokens. Without a new refresh token the old one stays good.
   *
   * @throws GrantRefusal when the refresh token is not good any more; Error when nothing is known of it. Nothing of the
   *   answer is quoted.
   * @see RFC 6749 §6
   */
  refresh(refreshToken: string): Promise<GrantedTokens>
}
