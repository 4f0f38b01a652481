import type { ProviderName } from '../provider-names.ts'
import type { ExternalProfile, ProviderDefinition } from './provider-definition.ts'
import type { Seconds } from './values.ts'

/** An OAuth client at an external provider. Naming a provider switches it on. */
export interface ProviderConfig {
  /** Default true for a provider that is named. */
  enabled?: boolean | undefined
  /** Several, as an array or separated by commas: the first signs in, all are accepted in id tokens. */
  clientId?: string | readonly string[] | undefined
  clientSecret?: string | undefined
  /** Where the provider sends people back to. Default: `externalUrl` + `/callback`, of several providers + `/<provider>`. */
  redirectUri?: string | undefined
  /** Base URL in place of the provider's public host. Keycloak needs one: its realm. */
  url?: string | undefined
  /** Accept accounts without an email address. Default false. */
  emailOptional?: boolean | undefined
  /** Accept id tokens whose nonce cannot be compared. Default false. */
  skipNonceCheck?: boolean | undefined
  /** Lets in only who has an account already. Default false. */
  signUpDisabled?: boolean | undefined
  /**
   * Keeps the tokens that the provider hands out, encrypted, for `auth.api.getProviderToken`. Default false: then they go to
   * the client that signs in, and nowhere else.
   */
  keepTokens?: boolean | undefined
  /** A provider that Latchkey does not know, made by `defineProvider`, `oidc` or `oauth2`. */
  definition?: ProviderDefinition | undefined
  /** Changes what is stored of a person before anything is decided by it. Must not throw. */
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

/** What an application makes of what a provider said. */
export type MapProfile = (profile: ExternalProfile) => ExternalProfile

/** Apple takes a secret that you signed, or Latchkey signs one each time, by a key that Apple gave you. */
export interface AppleProviderConfig extends ProviderConfig {
  /** Ten letters and digits, as in `A1B2C3D4E5`. In place of `clientSecret`, with `keyId` and `privateKey`. */
  teamId?: string | undefined
  /** Ten letters and digits: what Apple calls the key. */
  keyId?: string | undefined
  /** What the `.p8` file of that key holds. Line breaks may be written as `\n`. */
  privateKey?: string | undefined
}

/** WorkOS connects the directories of organisations, each of which can assert any address. */
export interface WorkosProviderConfig extends ProviderConfig {
  /**
   * Email domains of each organisation: `{ org_01: ['example.com'] }`. An address that an organisation asserts in
   * its domains is verified, within the organisation: each is a linking domain of its own. Default: none,
   * so no address is verified.
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

/** What holds for all external sign-ins. */
export interface ExternalSignInConfig {
  /** Where every external sign-in ends, whatever the client asked for. */
  redirectUrl?: string | undefined
  /** How long people may take at a provider, at least 300 s. Default 300 s. */
  lifetimeSeconds?: Seconds | undefined
  /**
   * Keeps the accounts of a provider apart from all others: by provider, the name of the domain within which verified
   * addresses find an existing account. Default: all providers share one.
   */
  linkingDomains?: Readonly<Record<string, string>> | undefined
  /** Providers that are each a linking domain of their own: an older form of `linkingDomains`. Default: none. */
  ownLinkingDomains?: readonly string[] | undefined
  /** Further audience of Apple's id tokens. Default: none. */
  iosBundleId?: string | undefined
  /**
   * Issuers beside the providers whose id tokens sign in, each with the clients that its tokens may be for:
   * `{ 'https://idp.example': ['client'] }`. An issuer of an enabled provider needs none: the client IDs of
   * the provider apply. Default: none.
   */
  allowedIdTokenIssuers?: Readonly<Record<string, readonly string[]>> | undefined
  /** How long copies of what OpenID providers publish are used before they are asked again. Default 1 hour. */
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

/** Single sign-on of organisations. Not built yet: no effect, and a warning at start. */
export interface SamlConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** RSA key in base64 (PKCS #1, DER). */
  privateKey?: string | undefined
  /** The key that comes next, published ahead. */
  privateKeyNext?: string | undefined
  /** Takes assertions that are encrypted. Default false. */
  allowEncryptedAssertions?: boolean | undefined
  /** How long people may take at their organisation. Default 120. */
  relayStateLifetimeSeconds?: Seconds | undefined
  /** Under which the endpoints of SAML are reached. Default `externalUrl`. */
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
  /** How old a message may be that a Solana wallet signed, and how far ahead of the service's clock. Default 10 minutes. */
  solanaMaximumValiditySeconds?: Seconds | undefined
  /** Default false. */
  ethereumEnabled?: boolean | undefined
  /** The same for Ethereum. Default 10 minutes. */
  ethereumMaximumValiditySeconds?: Seconds | undefined
}

export interface ResolvedWeb3 {
  solanaEnabled: boolean
  solanaMaximumValiditySeconds: number
  ethereumEnabled: boolean
  ethereumMaximumValiditySeconds: number
}
