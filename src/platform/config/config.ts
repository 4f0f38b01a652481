import type { CapabilityConfig, ResolvedCapabilityConfig } from '../capability-terms.ts'
import type { HostLogger, Logger } from '../observability/logger.ts'
import type { ProviderName } from './provider-names.ts'
import type { DatabaseConfig, ResolvedDatabase } from './sections/database.ts'
import type { EmailConfig, ResolvedEmail } from './sections/email.ts'
import type {
  MfaConfig,
  PasskeysConfig,
  ResolvedMfa,
  ResolvedPasskeys,
  ResolvedWebAuthn,
  WebAuthnConfig,
} from './sections/factors.ts'
import type { HookConfig, HookFunction, HookPoint, ResolvedHook } from './sections/hooks.ts'
import type { PasswordsConfig, ResolvedPasswords } from './sections/passwords.ts'
import type {
  ExternalSignInConfig,
  ProvidersConfig,
  ResolvedAppleProvider,
  ResolvedExternalSignIn,
  ResolvedProvider,
  ResolvedSaml,
  ResolvedWeb3,
  ResolvedWorkosProvider,
  SamlConfig,
  Web3Config,
} from './sections/providers.ts'
import type { RateLimitsConfig, ResolvedRateLimits } from './sections/rate-limits.ts'
import type { ResolvedSecurity, SecurityConfig } from './sections/security.ts'
import type {
  ApiConfig,
  BackgroundConfig,
  LogConfig,
  OutgoingConfig,
  ResolvedBackground,
  ResolvedLog,
  ResolvedServer,
  ServerConfig,
} from './sections/server.ts'
import type {
  AnonymousUsersConfig,
  ResolvedAnonymousUsers,
  ResolvedUsernames,
  UsernamesConfig,
} from './sections/sign-in.ts'
import type {
  AuditLogConfig,
  LinksConfig,
  RedirectsConfig,
  ResolvedAuditLog,
  ResolvedLinks,
  ResolvedRedirects,
} from './sections/site.ts'
import type { ResolvedSms, SmsConfig } from './sections/sms.ts'
import type { ResolvedTelemetry, TelemetryConfig } from './sections/telemetry.ts'
import type { JwtConfig, ResolvedJwt, ResolvedSessions, SessionsConfig } from './sections/tokens.ts'
import type { CacheStorage } from './sections/values.ts'

/**
 * The resolved configuration: checked, with all defaults, deeply frozen.
 *
 * Times are numbers of seconds, possibly fractional. Optional settings without a default are null.
 */
export interface Config extends ResolvedCapabilityConfig {
  /** The default redirect target, as configured. */
  siteUrl: string
  /** The URL of the service for clients and mails, without a trailing slash. */
  externalUrl: string
  /** The path that the service is mounted under, such as `/auth`; may be empty. */
  basePath: string
  development: boolean
  /** Null: not configured, so warnings and errors go to stderr. */
  logger: Logger | null
  /** Root keys: the first encrypts, all decrypt. */
  encryptionKeys: readonly string[]

  /** Null: the cache is in memory only. */
  storage: CacheStorage | null

  server: ResolvedServer
  background: ResolvedBackground
  api: { maxBodyBytesInFlight: number; maxRequestsInFlight: number }
  outgoing: { maxRequests: number; timeoutSeconds: number }
  log: ResolvedLog
  telemetry: ResolvedTelemetry
  database: ResolvedDatabase
  auditLog: ResolvedAuditLog

  jwt: ResolvedJwt
  sessions: ResolvedSessions
  passwords: ResolvedPasswords
  security: ResolvedSecurity
  rateLimits: ResolvedRateLimits
  redirects: ResolvedRedirects
  links: ResolvedLinks

  signUp: { disabled: boolean }
  anonymousUsers: ResolvedAnonymousUsers
  usernames: ResolvedUsernames
  email: ResolvedEmail
  phone: { enabled: boolean }
  sms: ResolvedSms
  /** At run time also the application's providers: `findProviderConfig` finds all by name. */
  providers: Record<Exclude<ProviderName, 'apple' | 'workos'>, ResolvedProvider> & {
    apple: ResolvedAppleProvider
    workos: ResolvedWorkosProvider
  }
  externalSignIn: ResolvedExternalSignIn
  saml: ResolvedSaml
  web3: ResolvedWeb3
  passkeys: ResolvedPasskeys
  webAuthn: ResolvedWebAuthn
  mfa: ResolvedMfa
  hooks: Record<HookPoint, ResolvedHook>
}

/**
 * The configuration of `createAuth`. Required are the site, the database, a key and a way to send
 * mail; with `development: true` these have defaults, too.
 *
 * Names mirror the environment: `docs/configuration.md` lists both, and which of them the current
 * version acts on.
 */
export interface AuthConfig extends CapabilityConfig {
  /** Base URL of the application. Redirects end here unless they name another permitted target. */
  siteUrl?: string | undefined
  /** URL under which clients and mails reach the service. Default: `siteUrl` + `basePath`. */
  externalUrl?: string | undefined
  /** Path that the service is mounted under, as `/auth`. Default: none. */
  basePath?: string | undefined
  /**
   * Supplies what only production requires: an embedded database and keys. Mails and SMS without a
   * configured carrier are shown on this machine: the log states where. Rejected under
   * `NODE_ENV=production`. Default false.
   */
  development?: boolean | undefined
  /**
   * The destination of diagnostics: an object with the methods `debug`, `info`, `warn`, `error` and
   * `fatal`, such as a pino logger, or `console`. Without `fatal`, `error` is called. Default:
   * warnings and errors to stderr, one line each. False: none.
   */
  logger?: HostLogger | false | undefined
  /**
   * The root key of stored secrets, at least 32 bytes. Several, as an array or separated by commas,
   * form a rotation: the first encrypts, all decrypt.
   */
  encryptionKey?: string | readonly string[] | undefined

  /**
   * The cache shared with other processes: discovery documents and keys of OpenID providers, and
   * ranges of breached passwords. A `Storage` of unstorage fits. Default: each process has its own,
   * in memory.
   */
  storage?: CacheStorage | undefined

  server?: ServerConfig | undefined
  api?: ApiConfig | undefined
  /** Work after responses, for hosts that suspend or end the process. */
  background?: BackgroundConfig | undefined
  outgoing?: OutgoingConfig | undefined
  log?: LogConfig | undefined
  telemetry?: TelemetryConfig | undefined
  /** `postgres://…`, or an object with all database settings. */
  database?: string | DatabaseConfig | undefined
  auditLog?: AuditLogConfig | undefined

  jwt?: JwtConfig | undefined
  sessions?: SessionsConfig | undefined
  passwords?: PasswordsConfig | undefined
  security?: SecurityConfig | undefined
  rateLimits?: RateLimitsConfig | undefined
  redirects?: RedirectsConfig | undefined
  links?: LinksConfig | undefined

  signUp?:
    | { /** Only invitations create users. Default false. */ disabled?: boolean | undefined }
    | undefined
  anonymousUsers?: AnonymousUsersConfig | undefined
  usernames?: UsernamesConfig | undefined
  email?: EmailConfig | undefined
  phone?:
    | { /** Sign-up and sign-in by phone. Default false. */ enabled?: boolean | undefined }
    | undefined
  sms?: SmsConfig | undefined
  /**
   * External providers for sign-in, by name. Those of `ProviderName` are built in; any other name
   * needs a `definition`, created by `defineProvider`, `oidc` or `oauth2`.
   */
  providers?: ProvidersConfig | undefined
  externalSignIn?: ExternalSignInConfig | undefined
  /** Not built yet: no effect, and a warning at start. */
  saml?: SamlConfig | undefined
  web3?: Web3Config | undefined
  passkeys?: PasskeysConfig | undefined
  webAuthn?: WebAuthnConfig | undefined
  mfa?: MfaConfig | undefined
  /** Hooks of the application, by the operation that calls them: see {@link HookPoint}. */
  hooks?: { [point in HookPoint]?: HookConfig | HookFunction<point> | undefined } | undefined
}
