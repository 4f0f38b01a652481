/** Whether a client can store a secret. @see RFC 6749 §2.1 */
export type ClientType = 'public' | 'confidential'

/** An operator created it, it registered itself, or its metadata document describes it. */
export type RegistrationType = 'manual' | 'dynamic' | 'document'

/** The methods by which clients authenticate at the token endpoint. @see RFC 8414 §2 */
export const authMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const

export type AuthMethod = (typeof authMethods)[number]

/** Public keys of a client. @see RFC 7517 §5 */
export interface JsonWebKeySet {
  keys: Record<string, unknown>[]
}

/** An application that may request access to accounts. */
export interface OauthClient {
  /** A UUID, or the URL of its metadata document. */
  clientId: string
  clientType: ClientType
  registrationType: RegistrationType
  tokenEndpointAuthMethod: AuthMethod
  redirectUris: string[]
  grantTypes: string[]
  clientName: string | null
  clientUri: string | null
  logoUri: string | null
  jwks: JsonWebKeySet | null
  jwksUri: string | null
  postLogoutRedirectUris: string[]
  backchannelLogoutUri: string | null
  backchannelLogoutSessionRequired: boolean
  /** The scopes that it may request; null for all. */
  allowedScopes: string[] | null
  createdAt: Date
  updatedAt: Date
}

/** A client with its new secret, which is returned only once. */
export interface OauthClientWithSecret extends OauthClient {
  /** Null for a client without a secret. */
  clientSecret: string | null
}
