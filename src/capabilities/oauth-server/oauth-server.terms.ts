import type { Seconds } from '../../platform/config/sections/values.ts'
import type { ErrorMeaning } from '../../platform/errors/error-meaning.ts'

/** @internal */
export const tables = [
  'oauth_clients',
  'oauth_authorizations',
  'oauth_consents',
  'oauth_spent_proofs',
]

/** Latchkey as an OAuth 2.1 and OpenID Connect provider of other applications. */
export interface OauthServerConfig {
  /** Default false. */
  enabled?: boolean | undefined
  /** Clients may register themselves. Default false. */
  allowDynamicRegistration?: boolean | undefined
  /** Path of the consent page, on `siteUrl`. */
  authorizationPath?: string | undefined
  /** The time from an authorization request to the exchange of its code. Default 600. */
  authorizationLifetimeSeconds?: Seconds | undefined
  /** The scope of a request without one. Default `email`. */
  defaultScope?: string | undefined
  /**
   * The scopes of the application, each with a description for its users:
   * `{ 'invoice:read': 'See your invoices' }`. Default: only those of OpenID Connect.
   */
  scopes?: Readonly<Record<string, string>> | undefined
  /**
   * The resources for which tokens are issued, each a URL; any other is `invalid_target`. Default:
   * any.
   */
  resources?: readonly string[] | undefined
  /** The grant of devices whose users sign in on another device. */
  deviceFlow?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        /** Path of the page on `siteUrl` where users enter the code. Default `/oauth/device`. */
        path?: string | undefined
      }
    | undefined
  /** The grant of clients that act for themselves, without a user. */
  clientCredentials?: { /** Default false. */ enabled?: boolean | undefined } | undefined
  /** The grant by which a client exchanges one of its tokens for one with less access. */
  tokenExchange?: { /** Default false. */ enabled?: boolean | undefined } | undefined
  /** Clients whose id is the URL of a document that describes them. */
  clientIdMetadataDocuments?:
    | {
        /** Default false. */
        enabled?: boolean | undefined
        /**
         * Hosts, as `host` or `host:port`, whose documents may come from a private address, always
         * over TLS. Default: none.
         */
        trustedHosts?: readonly string[] | undefined
      }
    | undefined
}

export interface ResolvedOauthServer {
  enabled: boolean
  allowDynamicRegistration: boolean
  authorizationPath: string | null
  authorizationLifetimeSeconds: number
  defaultScope: string
  scopes: Readonly<Record<string, string>>
  resources: readonly string[]
  deviceFlow: { enabled: boolean; path: string }
  clientCredentials: { enabled: boolean }
  tokenExchange: { enabled: boolean }
  clientIdMetadataDocuments: { enabled: boolean; trustedHosts: readonly string[] }
}

/** The section of the configuration. */
export interface OauthServerSection {
  /** Latchkey as an OAuth 2.1 and OpenID Connect provider of other applications. */
  oauthServer?: OauthServerConfig | undefined
}

export interface ResolvedOauthServerSection {
  oauthServer: ResolvedOauthServer
}

export const errorCodes = [
  'feature_disabled',
  'insufficient_scope',
  'oauth_authorization_not_found',
  'oauth_client_not_found',
  'oauth_consent_not_found',
  'oauth_dynamic_client_registration_disabled',
] as const

/** @internal */
export const errorMeanings: Readonly<Record<(typeof errorCodes)[number], ErrorMeaning>> = {
  feature_disabled: {
    topic: 'OAuth server',
    statuses: [404],
    means: 'The feature is disabled.',
    client: 'Do not offer it.',
    operator: 'Set `AUTH_OAUTH_SERVER_ENABLED=true`, and the setting of the feature, to enable it.',
  },
  insufficient_scope: {
    topic: 'OAuth server',
    statuses: [403],
    means:
      'The access token is one of an OAuth client, or lacks a scope. Such a token manages no account.',
    client: 'Send the access token of the user’s own session, or request the scope.',
  },
  oauth_authorization_not_found: {
    topic: 'OAuth server',
    statuses: [404],
    means: 'The authorization request is unknown, has expired, or belongs to another user.',
    client: 'Return to the application and start again.',
  },
  oauth_client_not_found: {
    topic: 'OAuth server',
    statuses: [400, 404],
    means: 'There is no such client.',
    client: 'Check `client_id`.',
  },
  oauth_consent_not_found: {
    topic: 'OAuth server',
    statuses: [404],
    means: 'The user has not granted this client access, or revoked it.',
    client: 'Reload the list of grants.',
  },
  oauth_dynamic_client_registration_disabled: {
    topic: 'OAuth server',
    statuses: [403],
    means: 'Clients cannot register themselves.',
    client: 'Request a client from the operator.',
    operator: 'Set `AUTH_OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION=true` to permit it.',
  },
}

export const auditActions = {
  oauth_client_created: {
    number: 50,
    logType: 'team',
    recordedWhen: 'An operator created an OAuth client, or a client registered itself.',
  },
  oauth_client_updated: {
    number: 51,
    logType: 'team',
    recordedWhen: 'An operator changed an OAuth client or its secret.',
  },
  oauth_client_deleted: {
    number: 52,
    logType: 'team',
    recordedWhen: 'An operator deleted an OAuth client.',
  },
  oauth_consent_granted: {
    number: 53,
    logType: 'account',
    recordedWhen: 'A user granted an OAuth client access.',
  },
  token_revoked: {
    number: 54,
    logType: 'token',
    recordedWhen: 'The access of an OAuth client ended: by its user, an operator or the client.',
  },
} as const

export interface OauthServerExport {
  /** The access that the user granted to OAuth clients. */
  oauthConsents: ExportedOauthConsent[]
  /** Authorization requests of OAuth clients that the user opened. */
  oauthAuthorizations: ExportedOauthAuthorization[]
}

export interface ExportedOauthConsent {
  id: string
  userId: string
  clientId: string
  scopes: string[]
  resources: string[]
  grantedAt: string
  /** The origins and schemes that the user approved; null for an imported consent. */
  destinations: string[] | null
}

export interface ExportedOauthAuthorization {
  id: string
  clientId: string
  userId: string | null
  status: string
  createdAt: string
  expiresAt: string
}
