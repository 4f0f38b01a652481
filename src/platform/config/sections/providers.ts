import type { ProviderName } from '../provider-names.ts'
import type { ExternalProfile, ProviderDefinition } from './provider-definition.ts'
import type { Seconds } from './values.ts'

/** An OAuth client at an external provider. Naming a provider enables it. */
export interface ProviderConfig {
  /** Default true for a configured provider. */
  enabled?: boolean | undefined
  /**
   * Several, as an array or separated by commas: the first is used for sign-in, all are accepted in
   * ID tokens.
   */
  clientId?: string | readonly string[] | undefined
  clientSecret?: string | undefined
  /**
   * The redirect URI. Default: `externalUrl` + `/callback`, with several providers + `/<provider>`.
   */
  redirectUri?: string | undefined
  /** The base URL that replaces the provider's public host. Keycloak requires one: its realm. */
  url?: string | undefined
  /** Accept accounts without an email address. Default false. */
  emailOptional?: boolean | undefined
  /** Accept ID tokens whose nonce cannot be compared. Default false. */
  skipNonceCheck?: boolean | undefined
  /** Accepts only users that exist already. Default false. */
  signUpDisabled?: boolean | undefined
  /**
   * Stores the tokens of the provider, encrypted, for `auth.api.getProviderToken`. Default false:
   * they are returned to the signing-in client only.
   */
  keepTokens?: boolean | undefined
  /**
   * The definition of a provider that is not built in, created by `defineProvider`, `oidc` or
   * `oauth2`.
   */
  definition?: ProviderDefinition | undefined
  /** Changes a profile before it is used or stored. Must not throw. */
  mapProfile?: MapProfile | undefined
}

/** Providers by name. */
export type ProvidersConfig = {
  [name in Exclude<ProviderName, 'apple' | 'workos'>]?: ProviderConfig | undefined
} & {
  apple?: AppleProviderConfig | undefined
  workos?: WorkosProviderConfig | undefined
  [name: string]: ProviderConfig | AppleProviderConfig | WorkosProviderConfig | undefined
}

/** The application's change of a provider's profile. */
export type MapProfile = (profile: ExternalProfile) => ExternalProfile

/**
 * Apple's client secret, either signed by the operator, or signed by Latchkey at each use with
 * Apple's key.
 */
export interface AppleProviderConfig extends ProviderConfig {
  /**
   * Ten letters and digits, such as `A1B2C3D4E5`. Replaces `clientSecret`, with `keyId` and
   * `privateKey`.
   */
  teamId?: string | undefined
  /** Ten letters and digits: Apple's id of the key. */
  keyId?: string | undefined
  /** The content of the key's `.p8` file. Line breaks may be written as `\n`. */
  privateKey?: string | undefined
}

/** WorkOS connects the directories of organizations, each of which can assert any address. */
export interface WorkosProviderConfig extends ProviderConfig {
  /**
   * Email domains of each organization: `{ org_01: ['example.com'] }`. An address that an
   * organization asserts in its domains is verified within the organization: each is a linking
   * domain of its own. Default: none, so no address is verified.
   */
  organizations?: Readonly<Record<string, readonly string[]>> | undefined
}

export interface ResolvedProvider {
  enabled: boolean
  clientIds: readonly string[]
  clientSecret: string | null
  redirectUri: string | null
  url: string | null
  emailOptional: boolean
  skipNonceCheck: boolean
  signUpDisabled: boolean
  keepTokens: boolean
  definition: ProviderDefinition | null
  mapProfile: MapProfile | null
}

export interface ResolvedWorkosProvider extends ResolvedProvider {
  organizations: Readonly<Record<string, readonly string[]>>
}

export interface ResolvedAppleProvider extends ResolvedProvider {
  teamId: string | null
  keyId: string | null
  /** PEM of PKCS #8. */
  privateKey: string | null
}

/** The settings of all external sign-ins. */
export interface ExternalSignInConfig {
  /** The redirect target of every external sign-in, whatever the client requests. */
  redirectUrl?: string | undefined
  /** The lifetime of an authorization request, at least 300 s. Default 300 s. */
  lifetimeSeconds?: Seconds | undefined
  /**
   * Separates the accounts of providers: for each provider, the name of the domain within which
   * verified addresses identify an existing account. Default: all providers share one.
   */
  linkingDomains?: Readonly<Record<string, string>> | undefined
  /**
   * Providers that are each a linking domain of their own: an older form of `linkingDomains`.
   * Default: none.
   */
  ownLinkingDomains?: readonly string[] | undefined
  /** A further audience of Apple's ID tokens. Default: none. */
  iosBundleId?: string | undefined
  /**
   * Further issuers whose ID tokens are accepted, each with the clients of its tokens: `{
   * 'https://idp.example': ['client'] }`. An issuer of an enabled provider needs none: the client
   * IDs of the provider apply. Default: none.
   */
  allowedIdTokenIssuers?: Readonly<Record<string, readonly string[]>> | undefined
  /** How long the published data of OpenID providers are cached. Default 1 hour. */
  discoveryLifetimeSeconds?: Seconds | undefined
}

export interface ResolvedExternalSignIn {
  redirectUrl: string | null
  lifetimeSeconds: number
  linkingDomains: Readonly<Record<string, string>>
  ownLinkingDomains: readonly string[]
  iosBundleId: string | null
  allowedIdTokenIssuers: Readonly<Record<string, readonly string[]>>
  discoveryLifetimeSeconds: number
}

/** Single sign-on of organizations. Not built yet: no effect, and a warning at start. */
export interface SamlConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** RSA key in base64 (PKCS #1, DER). */
  privateKey?: string | undefined
  /** The next key, published in advance. */
  privateKeyNext?: string | undefined
  /** Accepts encrypted assertions. Default false. */
  allowEncryptedAssertions?: boolean | undefined
  /** The lifetime of a request to an organization. Default 120. */
  relayStateLifetimeSeconds?: Seconds | undefined
  /** The URL of the SAML endpoints. Default `externalUrl`. */
  externalUrl?: string | undefined
}

export interface ResolvedSaml {
  enabled: boolean
  privateKey: string | null
  privateKeyNext: string | null
  allowEncryptedAssertions: boolean
  relayStateLifetimeSeconds: number
  externalUrl: string | null
}

/** Sign-in with wallets. */
export interface Web3Config {
  /** Default false. */
  solanaEnabled?: boolean | undefined
  /**
   * The maximum age of a message that a Solana wallet signed, and its maximum time in the future.
   * Default 10 minutes.
   */
  solanaMaximumValiditySeconds?: Seconds | undefined
  /** Default false. */
  ethereumEnabled?: boolean | undefined
  /** The maximum age of messages of Ethereum wallets, as for Solana. Default 10 minutes. */
  ethereumMaximumValiditySeconds?: Seconds | undefined
}

export interface ResolvedWeb3 {
  solanaEnabled: boolean
  solanaMaximumValiditySeconds: number
  ethereumEnabled: boolean
  ethereumMaximumValiditySeconds: number
}
