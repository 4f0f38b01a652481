/** Whether a client can store a secret. @see RFC 6749 §2.1 */
export type OauthClientType = 'public' | 'confidential'

/** An operator created it, it registered itself, or its metadata document describes it. */
export type OauthRegistrationType = 'manual' | 'dynamic' | 'document'

/** The methods by which clients authenticate at the token endpoint. @see RFC 8414 §2 */
export const authMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const

export type OauthAuthMethod = (typeof authMethods)[number]

/** Public keys of a client. @see RFC 7517 §5 */
export interface OauthKeySet {
  keys: Record<string, unknown>[]
}

/** An application that may request access to accounts. */
export interface OauthClient {
  /** A UUID, or the URL of its metadata document. */
  clientId: string
  clientType: OauthClientType
  registrationType: OauthRegistrationType
  tokenEndpointAuthMethod: OauthAuthMethod
  redirectUris: string[]
  grantTypes: string[]
  clientName: string | null
  clientUri: string | null
  logoUri: string | null
  jwks: OauthKeySet | null
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

/** The changes of a client. Members that are absent stay as they are. */
export interface UpdateOauthClientInput {
  /** The exact URIs to which the browser may be redirected; at most 10. */
  redirectUris?: readonly string[] | undefined
  /** Default: that of the type. */
  tokenEndpointAuthMethod?: OauthAuthMethod | undefined
  /** Default: `authorization_code` and `refresh_token`. */
  grantTypes?: readonly string[] | undefined
  /** The name that users read. */
  clientName?: string | undefined
  /** The page of the application. */
  clientUri?: string | undefined
  /** The URL of its logo. */
  logoUri?: string | undefined
  /** Its public keys, for `private_key_jwt`. */
  jwks?: Readonly<Record<string, unknown>> | undefined
  /** The URL of its public keys. */
  jwksUri?: string | undefined
  /** The exact URIs to which the browser may be redirected after a logout. */
  postLogoutRedirectUris?: readonly string[] | undefined
  /** The URL that receives a logout token when a session of the client ends. */
  backchannelLogoutUri?: string | undefined
  /** Whether logout tokens need the id of the session. They always contain it. */
  backchannelLogoutSessionRequired?: boolean | undefined
  /** The scopes that it may request. Default: all. */
  allowedScopes?: readonly string[] | undefined
}

/** A new client. */
export interface CreateOauthClientInput extends UpdateOauthClientInput {
  /** Default: `confidential`, or that of the authentication method. */
  clientType?: OauthClientType | undefined
}

/** A page of clients, the newest first. */
export interface ListOauthClientsInput {
  /** Default 1. */
  page?: number | undefined
  /** Default 50. */
  perPage?: number | undefined
}

/** A page of clients, and the number of all. */
export interface ListedOauthClients {
  clients: OauthClient[]
  total: number
}
