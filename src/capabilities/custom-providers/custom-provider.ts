/** The protocol of a provider. */
export type CustomProviderType = 'oauth2' | 'oidc'

export const customProviderTypes = ['oauth2', 'oidc'] as const

/** An external provider that an operator registered. Its client secret is never returned. */
export interface CustomProvider {
  id: string
  providerType: CustomProviderType
  /** The name in `signInWithOAuth` and in identities, such as `custom:acme`. */
  identifier: string
  /** The name that users read. */
  name: string
  clientId: string
  /** Further audiences of ID tokens that are accepted. */
  acceptableClientIds: string[]
  scopes: string[]
  /** Whether codes are bound to a code verifier. */
  pkceEnabled: boolean
  /** Claims of the user by the claim of the provider that they are read from, or a constant. */
  attributeMapping: Record<string, unknown>
  /** Claims of the provider that are stored under `custom_claims`. */
  customClaimsAllowlist: string[]
  /** Parameters that the authorization URL always contains. */
  authorizationParams: Record<string, string>
  enabled: boolean
  /** Whether accounts without an address are accepted. */
  emailOptional: boolean
  /** Whether ID tokens are accepted whose nonce cannot be compared. */
  skipNonceCheck: boolean
  /** The issuer of an OpenID Connect provider; null for OAuth 2.0, as the next two are. */
  issuer: string | null
  /** Null for the address that the issuer determines. */
  discoveryUrl: string | null
  /** The document as it was when the issuer was checked. */
  discoveryDocument: Record<string, unknown> | null
  /** The endpoints of an OAuth 2.0 provider; null for OpenID Connect. */
  authorizationUrl: string | null
  tokenUrl: string | null
  userinfoUrl: string | null
  jwksUri: string | null
  createdAt: Date
  updatedAt: Date
}

/** The changes of a provider. Members that are absent stay as they are. */
export interface UpdateCustomProviderInput {
  /** The name that users read. */
  name?: string | undefined
  /** The client ID at the provider. */
  clientId?: string | undefined
  /** The client secret at the provider. It is never returned. */
  clientSecret?: string | undefined
  /** Further audiences of ID tokens that are accepted. Default: none. */
  acceptableClientIds?: readonly string[] | undefined
  /** Scopes that are requested. For OpenID Connect `openid` is added. Default: none. */
  scopes?: readonly string[] | undefined
  /** Whether codes are bound to a code verifier. Default true. */
  pkceEnabled?: boolean | undefined
  /**
   * Claims of the user: `{ full_name: 'display_name' }` copies a claim of the provider; any value
   * but a string is a constant. Default: none.
   */
  attributeMapping?: Readonly<Record<string, unknown>> | undefined
  /** Claims of the provider that are stored under `custom_claims`. Default: none. */
  customClaimsAllowlist?: readonly string[] | undefined
  /** Parameters that the authorization URL always contains. Default: none. */
  authorizationParams?: Readonly<Record<string, string>> | undefined
  /** Default true. */
  enabled?: boolean | undefined
  /** Whether accounts without an address are accepted. Default false. */
  emailOptional?: boolean | undefined
  /** Whether ID tokens are accepted whose nonce cannot be compared. Default false. */
  skipNonceCheck?: boolean | undefined
  /** The issuer of an OpenID Connect provider, which requires it. */
  issuer?: string | undefined
  /** The discovery document of the issuer. Default: the address that the issuer determines. */
  discoveryUrl?: string | undefined
  /** The authorization endpoint of an OAuth 2.0 provider, which requires it. */
  authorizationUrl?: string | undefined
  /** The token endpoint of an OAuth 2.0 provider, which requires it. */
  tokenUrl?: string | undefined
  /** The URL of the profile at an OAuth 2.0 provider, which requires it. */
  userinfoUrl?: string | undefined
  /** The keys of an OAuth 2.0 provider. */
  jwksUri?: string | undefined
}

/** A new provider. All URLs are public and use https. */
export interface CreateCustomProviderInput extends UpdateCustomProviderInput {
  /** The protocol: `oauth2` or `oidc`. */
  providerType: CustomProviderType
  /** `custom:` and a name of lower-case letters, digits, `:` and `-`; 50 characters at most. */
  identifier: string
  /** The name that users read. */
  name: string
  /** The client ID at the provider. */
  clientId: string
  /** The client secret at the provider. It is never returned. */
  clientSecret: string
}

export interface ListCustomProvidersInput {
  /** Only the providers of this type. */
  type?: CustomProviderType | undefined
}
