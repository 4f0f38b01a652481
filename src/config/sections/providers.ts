/**
 * An OAuth client at an external provider. Naming a provider switches it on. Not built yet: no effect, and a warning at start.
 */
export interface ProviderConfig {
  /** Default true for a provider that is named. */
  enabled?: boolean | undefined
  /** Several, as an array or separated by commas: the first signs in, all are accepted in id tokens. */
  clientId?: string | readonly string[] | undefined
  clientSecret?: string | undefined
  /** Where the provider sends people back to. Default: `externalUrl` + `/callback`. */
  redirectUri?: string | undefined
  /** Base URL in place of the provider's public host. Keycloak needs one: its realm. */
  url?: string | undefined
  /** Accept accounts without an email address. Default false. */
  emailOptional?: boolean | undefined
  /** Accept id tokens whose nonce cannot be compared. Default false. */
  skipNonceCheck?: boolean | undefined
}

export interface ResolvedProvider {
  enabled: boolean
  clientIds: readonly string[]
  clientSecret: string | null
  redirectUri: string | null
  url: string | null
  emailOptional: boolean
  skipNonceCheck: boolean
}

/** What holds for all external sign-ins. Not built yet: no effect, and a warning at start. */
export interface ExternalSignInConfig {
  /** Where every external sign-in ends, whatever the client asked for. */
  redirectUrl?: string | undefined
  /** Further audience of Apple's id tokens. */
  iosBundleId?: string | undefined
}

export interface ResolvedExternalSignIn {
  redirectUrl: string | null
  iosBundleId: string | null
}

/** Single sign-on of organisations. Not built yet: no effect, and a warning at start. */
export interface SamlConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** RSA key in base64 (PKCS #1, DER). */
  privateKey?: string | undefined
  /** The key that comes next, published ahead. */
  privateKeyNext?: string | undefined
}

export interface ResolvedSaml {
  enabled: boolean
  privateKey: string | null
  privateKeyNext: string | null
}

/** Sign-in with wallets. Not built yet: no effect, and a warning at start. */
export interface Web3Config {
  /** Default false. */
  solanaEnabled?: boolean | undefined
  /** Default false. */
  ethereumEnabled?: boolean | undefined
}

export interface ResolvedWeb3 {
  solanaEnabled: boolean
  ethereumEnabled: boolean
}
