/** What a provider needs to know of the application that asks it: the OAuth client, as it was configured. */
export interface ProviderClient {
  /** The first of `clientIds`, by which people sign in. */
  clientId: string
  /** All of them: the audiences that id tokens may name. */
  clientIds: readonly string[]
  clientSecret: string
  /** What client secrets are made with, where the provider takes none that stays the same. */
  signingKey?: ClientSigningKey | null
  /** Where the provider sends people back to. */
  redirectUri: string
  /** Base URL in place of the provider's own hosts, without a slash at its end; null for these. */
  url: string | null
  /** Email domains of each organisation whose directory verifies addresses there. Default: none. */
  organizations?: Readonly<Record<string, readonly string[]>>
}

/** The key that client secrets of Apple are signed with. */
export interface ClientSigningKey {
  teamId: string
  keyId: string
  /** On the curve P-256, as PEM of PKCS #8. */
  privateKey: string
}

/** Where a provider is asked: absolute URLs. @see RFC 6749 §3 */
export interface ProviderEndpoints {
  /** Where people are sent. A query that it has is kept. */
  authorization: string
  /** Where codes are traded for tokens. */
  token: string
  /**
   * The issuer whose discovery document named them, where one did: it may send us to its own origin and to public hosts, and
   * to no other.
   */
  issuer?: string
  /** Whether each authorization response names its issuer, so that one without is refused. Default false. @see RFC 9207 §3 */
  announcesIssuer?: boolean
  /** Where the person is described. @see OpenID Connect Core 1.0 §5.3 */
  userInfo?: string
}

/** What a provider handed out, for the application to ask it with. */
export interface ExternalTokens {
  accessToken: string
  refreshToken: string | null
}

/** An access token of a provider, for requests to it in the name of the person. */
export interface ProviderAccessToken {
  accessToken: string
  /** Null where the provider does not say. */
  expiresAt: Date | null
  /** What the token allows, as the provider calls it; null where it does not say. */
  scopes: readonly string[] | null
}

/** What a provider handed out, with how long it lasts and what it allows. @see RFC 6749 §§3.3, 5.1 */
export interface GrantedTokens extends ExternalTokens, ProviderAccessToken {}

/** What a provider answered for a code. @see RFC 6749 §5.1 */
export interface ProviderTokens extends ExternalTokens {
  idToken: string | null
  /** When the access token expires; null where the provider does not say. */
  expiresAt: Date | null
  /** The answer as a whole. */
  answer: JsonReader
}

/** An address of a person, as a provider knows it. */
export interface ExternalEmail {
  address: string
  /** Whether the provider says that the person has proved it. Only then may it find an existing user. */
  isVerified: boolean
  /** Default: true for the only one. */
  isPrimary?: boolean
}

/** A person, as a provider describes them. */
export interface ExternalProfile {
  /** What the provider calls the person for ever: never an address or a name. @see OpenID Connect Core 1.0 §5.7 */
  subject: string | null
  emails: readonly ExternalEmail[]
  /**
   * The organisation whose directory asserts the addresses: a linking domain of its own, within which they lead
   * to an account. Default: none.
   */
  organization?: string | null
  /**
   * What else it says, by the names of OpenID Connect where there is one: `name`, `picture`, … Goes into the identity and
   * the user's metadata. What is null, empty or undefined is left out. @see OpenID Connect Core 1.0 §5.1
   */
  claims: Readonly<Record<string, unknown>>
}

/**
 * JSON of somebody else's, member by member: what is missing or of another type is null.
 *
 * A member is named by its path: `text('owner', 'user', 'name')`.
 */
export interface JsonReader {
  /** A text that is not empty; a number as its decimals. */
  text(...path: (string | number)[]): string | null
  number(...path: (string | number)[]): number | null
  /** Whether it is `true`, and not a text that says so. */
  isTrue(...path: (string | number)[]): boolean
  /** The elements of an array; none where there is no array. */
  list(...path: (string | number)[]): JsonReader[]
  /** Whatever it is; undefined where there is nothing. */
  value(...path: (string | number)[]): unknown
}

/** The values and requests that `readProfile` reads a profile with. */
export interface CallbackContext {
  client: ProviderClient
  endpoints: ProviderEndpoints
  tokens: ProviderTokens
  /**
   * Asks the provider for JSON with the access token as bearer.
   *
   * @throws when the status is not 2xx, it is no JSON, larger than 256 KiB, of more than 4,096 values, or takes longer than
   *   `outgoing.timeoutMs`.
   */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<JsonReader>
  /**
   * The claims of the id token: signature, issuer, audience, expiry, nonce and `at_hash` are verified by `idToken` of the
   * definition.
   *
   * @throws when there is none, or one that is not valid.
   */
  verifyIdToken(): Promise<JsonReader>
  /** A parameter of the callback, such as `user` of Apple; null where it was not sent. */
  parameter(name: string): string | null
}

/** A discovery document of many issuers. */
export interface IssuerPublisher {
  /** The URL that stands in place of the issuer before `/.well-known/openid-configuration`. */
  url: string
  /** Whether `issuer` of the document, or of one of its keys, includes the issuer of the token. */
  includes(named: string): boolean
}

/** How the id tokens of a provider are recognised and read. @see OpenID Connect Core 1.0 §2 */
export interface IdTokenRules {
  /**
   * The issuer whose keys verify a token that names `issuer`; null for one that is not accepted. One that goes by several
   * names has one discovery document: each of them leads to the same.
   *
   * @param issuer `iss` of the token, before it is verified.
   */
  issuerOf(issuer: string, client: ProviderClient): string | null
  /**
   * Where many issuers publish one discovery document with their keys. Default: each accepted issuer publishes
   * its own.
   *
   * @param issuer as `issuerOf` returned it.
   */
  publisherOf?(issuer: string, client: ProviderClient): IssuerPublisher | null
  /** What its claims say. Default: the standard claims. @see OpenID Connect Core 1.0 §5.1 */
  readClaims?(claims: JsonReader, client: ProviderClient): ExternalProfile
  /** Whether its tokens never repeat a nonce, so that none is compared. Default false. */
  lacksNonce?: boolean
}

/** An external provider: all that is particular about it. */
export interface ProviderDefinition {
  /** What people call it, as in `GitHub`. */
  label: string
  /**
   * The issuer that its authorization responses may name as `iss`. Default: what `idToken` accepts, else any of the origin of
   * the authorization endpoint. @see RFC 9207
   */
  issuer?: string
  /** The endpoints; a promise where they have to be looked up first. */
  endpoints(
    client: ProviderClient,
    lookUp: ProviderLookUp,
  ): ProviderEndpoints | Promise<ProviderEndpoints>
  /** Scopes that are always asked for. Default: none. */
  scopes?: readonly string[]
  /** Whether scopes that the application asks for are appended. Default true. */
  takesScopes?: boolean
  /** Parameters that its authorization URL always has. */
  parameters?: Readonly<Record<string, string>>
  /** Whether parameters that the application asks for are passed on. Default true. */
  takesParameters?: boolean
  /** How the client proves itself when it trades a code. Default `basic`. @see RFC 6749 §2.3.1 */
  clientAuthentication?: 'basic' | 'body'
  /** Makes what it proves itself with, each time that it has to. Default: `clientSecret` of the client. */
  issueClientSecret?(client: ProviderClient, now: Date): string | Promise<string>
  /** Whether the code is bound to a code verifier of ours. Default false. @see RFC 7636 */
  usesCodeVerifier?: boolean
  /** Reads the profile of the user at the provider. */
  readProfile(context: CallbackContext): ExternalProfile | Promise<ExternalProfile>
  /** Given where the provider issues id tokens. */
  idToken?: IdTokenRules
}

/** Looks up what a provider publishes about itself. */
export interface ProviderLookUp {
  /**
   * The discovery document of an issuer, from the cache where it is there.
   *
   * @param isAlias whether the document may call its issuer by another name than `issuer`. Default: by none.
   * @throws when there is none, or it is another issuer's.
   * @see OpenID Connect Discovery 1.0 §4
   */
  discover(issuer: string, isAlias?: (named: string) => boolean): Promise<JsonReader>
}
