/** The application's OAuth client at a provider, as configured. */
export interface ProviderClient {
  /** The first of `clientIds`, used for sign-in. */
  clientId: string
  /** All client IDs: the accepted audiences of ID tokens. */
  clientIds: readonly string[]
  clientSecret: string
  /** The key that signs client secrets, for a provider without a constant secret. */
  signingKey?: ClientSigningKey | null
  /** The redirect URI. */
  redirectUri: string
  /**
   * The base URL that replaces the provider's own hosts, without a trailing slash; null for these.
   */
  url: string | null
  /**
   * Email domains of each organization whose directory verifies addresses in them. Default: none.
   */
  organizations?: Readonly<Record<string, readonly string[]>>
}

/** The key that signs client secrets for Apple. */
export interface ClientSigningKey {
  teamId: string
  keyId: string
  /** A key on the curve P-256, as PEM of PKCS #8. */
  privateKey: string
}

/** The endpoints of a provider: absolute URLs. @see RFC 6749 §3 */
export interface ProviderEndpoints {
  /** The authorization endpoint. Its query, if any, is kept. */
  authorization: string
  /** The token endpoint. */
  token: string
  /**
   * The issuer whose discovery document contained the endpoints. Requests are sent only to its own
   * origin and to public hosts.
   */
  issuer?: string
  /**
   * Whether each authorization response contains its issuer, so that one without is rejected.
   * Default false. @see RFC 9207 §3
   */
  announcesIssuer?: boolean
  /** The UserInfo endpoint. @see OpenID Connect Core 1.0 §5.3 */
  userInfo?: string
}

/** The tokens of a provider, for the application's own requests to it. */
export interface ExternalTokens {
  accessToken: string
  refreshToken: string | null
}

/** An access token of a provider, for requests on behalf of the user. */
export interface ProviderAccessToken {
  accessToken: string
  /** Null if the provider does not state it. */
  expiresAt: Date | null
  /** The scopes of the token, in the provider's names; null if it does not state them. */
  scopes: readonly string[] | null
}

/** The tokens of a provider, with expiry and scopes. @see RFC 6749 §§3.3, 5.1 */
export interface GrantedTokens extends ExternalTokens, ProviderAccessToken {}

/** The response of a token endpoint. @see RFC 6749 §5.1 */
export interface ProviderTokens extends ExternalTokens {
  idToken: string | null
  /** The expiry of the access token; null if the provider does not state it. */
  expiresAt: Date | null
  /** The whole response. */
  answer: JsonReader
}

/** An address of a user at a provider. */
export interface ExternalEmail {
  address: string
  /**
   * Whether the provider states that the user has verified it. Only then may it identify an
   * existing user.
   */
  isVerified: boolean
  /** Default: true for a single address. */
  isPrimary?: boolean
}

/** The profile of a user at a provider. */
export interface ExternalProfile {
  /**
   * The stable id of the user at the provider, never an address or a name. @see OpenID Connect Core
   * 1.0 §5.7
   */
  subject: string | null
  emails: readonly ExternalEmail[]
  /**
   * The organization whose directory asserts the addresses. It is a linking domain of its own,
   * within which they identify an account. Default: none.
   */
  organization?: string | null
  /**
   * Further claims, by their names in OpenID Connect: `name`, `picture`, … They are stored in the
   * identity and the user's metadata. Null, empty and undefined values are skipped. @see OpenID
   * Connect Core 1.0 §5.1
   */
  claims: Readonly<Record<string, unknown>>
}

/**
 * A reader of external JSON: a member that is missing or of another type is null.
 *
 * A member is addressed by its path: `text('owner', 'user', 'name')`.
 */
export interface JsonReader {
  /** Returns a non-empty string, or a number as a string of its decimals. */
  text(...path: (string | number)[]): string | null
  number(...path: (string | number)[]): number | null
  /** Reports whether the value is `true`, not the string. */
  isTrue(...path: (string | number)[]): boolean
  /** Returns the elements of an array; none for other values. */
  list(...path: (string | number)[]): JsonReader[]
  /** Returns any value; undefined if there is none. */
  value(...path: (string | number)[]): unknown
}

/** The values and requests that `readProfile` reads a profile with. */
export interface CallbackContext {
  client: ProviderClient
  endpoints: ProviderEndpoints
  tokens: ProviderTokens
  /**
   * Requests JSON from the provider, with the access token as bearer token.
   *
   * @throws if the status is not 2xx, or the response is not JSON, exceeds 256 KiB or 4,096 values,
   *   or takes longer than `outgoing.timeoutMs`.
   */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<JsonReader>
  /**
   * Returns the claims of the ID token. Signature, issuer, audience, expiry, nonce and `at_hash`
   * are verified by `idToken` of the definition.
   *
   * @throws if the token is missing or invalid.
   */
  verifyIdToken(): Promise<JsonReader>
  /** Returns a parameter of the callback, such as Apple's `user`; null if it is absent. */
  parameter(name: string): string | null
}

/** A discovery document of many issuers. */
export interface IssuerPublisher {
  /** The URL that replaces the issuer before `/.well-known/openid-configuration`. */
  url: string
  /**
   * Reports whether `issuer` of the document, or of one of its keys, includes the issuer of the
   * token.
   */
  includes(named: string): boolean
}

/** The recognition and validation of a provider's ID tokens. @see OpenID Connect Core 1.0 §2 */
export interface IdTokenRules {
  /**
   * Returns the issuer whose keys verify a token with `iss` `issuer`; null if it is not accepted.
   * All names of one issuer lead to its single discovery document.
   *
   * @param issuer `iss` of the token, before it is verified.
   */
  issuerOf(issuer: string, client: ProviderClient): string | null
  /**
   * Returns the discovery document that many issuers share with their keys. Default: each accepted
   * issuer publishes its own.
   *
   * @param issuer as `issuerOf` returned it.
   */
  publisherOf?(issuer: string, client: ProviderClient): IssuerPublisher | null
  /**
   * Reads the profile in the claims. Default: the standard claims. @see OpenID Connect Core 1.0
   * §5.1
   */
  readClaims?(claims: JsonReader, client: ProviderClient): ExternalProfile
  /** Whether its tokens never contain the nonce, so that it is not compared. Default false. */
  lacksNonce?: boolean
}

/** The definition of an external provider. */
export interface ProviderDefinition {
  /** The name shown to users, such as `GitHub`. */
  label: string
  /**
   * The issuer that its authorization responses may contain as `iss`. Default: any that `idToken`
   * accepts, else any of the origin of the authorization endpoint. @see RFC 9207
   */
  issuer?: string
  /** Returns the endpoints; a promise if they have to be looked up. */
  endpoints(
    client: ProviderClient,
    lookUp: ProviderLookUp,
  ): ProviderEndpoints | Promise<ProviderEndpoints>
  /** Scopes that are always requested. Default: none. */
  scopes?: readonly string[]
  /** Whether scopes that the application requests are appended. Default true. */
  takesScopes?: boolean
  /** Parameters that its authorization URL always contains. */
  parameters?: Readonly<Record<string, string>>
  /** Whether parameters that the application requests are passed on. Default true. */
  takesParameters?: boolean
  /** The client authentication at the token endpoint. Default `basic`. @see RFC 6749 §2.3.1 */
  clientAuthentication?: 'basic' | 'body'
  /** Creates the client secret, for each use. Default: `clientSecret` of the client. */
  issueClientSecret?(client: ProviderClient, now: Date): string | Promise<string>
  /** Whether PKCE is used. Default false. @see RFC 7636 */
  usesCodeVerifier?: boolean
  /** Reads the profile of the user at the provider. */
  readProfile(context: CallbackContext): ExternalProfile | Promise<ExternalProfile>
  /** Set if the provider issues ID tokens. */
  idToken?: IdTokenRules
}

/** Looks up the metadata that a provider publishes. */
export interface ProviderLookUp {
  /**
   * Returns the discovery document of an issuer, from the cache if possible.
   *
   * @param isAlias reports whether the document may contain this other name of the issuer. Default:
   *   no other.
   * @throws if there is none, or it is another issuer's.
   * @see OpenID Connect Discovery 1.0 §4
   */
  discover(issuer: string, isAlias?: (named: string) => boolean): Promise<JsonReader>
}
