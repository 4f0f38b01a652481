import type {
  ExternalProfile,
  GrantedTokens,
} from '../../platform/config/sections/provider-definition.ts'
import type { ResolvedProvider } from '../../platform/config/sections/providers.ts'
import type { Issuers } from './protocol/issuers.ts'

/** The values of a flow that its authorization URL contains. */
export interface AuthorizationOrder {
  /** Binds the callback to the request. @see RFC 6749 §10.12 */
  state: string
  /** The scopes that the application requests in addition to the provider's defaults. */
  scopes: readonly string[]
  /** Further parameters for the authorization URL. */
  parameters: Readonly<Record<string, string>>
}

/** An authorization request, and the values that its callback is checked with. */
export interface ProviderAuthorizationRequest {
  url: string
  /** With OAuth 1.0a, the secret of the temporary token. @see RFC 7636 §4.1, RFC 5849 §2.1 */
  codeVerifier: string | null
  nonce: string | null
  /**
   * The redirect URI of the request, which the exchange of the code must repeat. @see RFC 6749
   * §4.1.3
   */
  redirectUri: string
}

/** The parameters of a callback, and the values that were stored of its authorization request. */
export interface CallbackParameters extends Omit<ProviderAuthorizationRequest, 'url'> {
  /** A parameter of the callback; null where it was not sent. */
  parameter(name: string): string | null
}

/** The user at the provider, and the tokens that it issued. */
export interface ExternalSignIn {
  profile: ExternalProfile
  tokens: GrantedTokens
}

/** An external provider: its definition, bound to the configured client. */
export interface Provider {
  /** The name on the wire and in the configuration. */
  name: string
  /** The name on pages and in messages. */
  label: string
  createAuthorizationUrl(order: AuthorizationOrder): Promise<ProviderAuthorizationRequest>
  /**
   * Compares the issuer of an authorization response with that of this provider.
   *
   * @throws AuthError `bad_oauth_callback` (400) for another issuer, and without one where the
   *   provider announces that its responses contain it.
   * @see RFC 9207 §2.4
   */
  requireIssuer(response: Pick<CallbackParameters, 'parameter'>): Promise<void>
  /**
   * Exchanges the code of a callback and reads the profile.
   *
   * @throws AuthError those of `protocol/provider-errors.ts`; `bad_oauth_callback` (400) for a
   *   callback without a code.
   */
  handleCallback(callback: CallbackParameters): Promise<ExternalSignIn>
  /**
   * Exchanges a refresh token for new tokens. If the response contains no new refresh token, the
   * old one stays valid.
   *
   * @throws GrantRejection when the provider no longer accepts the refresh token; Error when its
   *   state is unknown. The message does not quote the response.
   * @see RFC 6749 §6
   */
  refresh(refreshToken: string): Promise<GrantedTokens>
}

/** A provider that is registered while the service runs, bound to its client. */
export interface RegisteredProvider {
  provider: Provider
  settings: ResolvedProvider
  /** The documents that verify its ID tokens. */
  issuers: Issuers
}

/** A provider as pages show it. */
export interface ListedProvider {
  name: string
  /** The name that users know. */
  label: string
}

/** The providers that are registered while the service runs. */
export interface ProviderRegistry {
  /** Returns the provider with this name, in lower case, as it is at the moment; null without one. */
  find(name: string): Promise<RegisteredProvider | null>
  /** Returns the enabled providers, sorted by label. They may be some seconds old. */
  list(): Promise<readonly ListedProvider[]>
}

/** The prefix that clients write before the name of a provider that is not built in. */
export const customPrefix = 'custom:'
