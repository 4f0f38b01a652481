import type { CapabilityConfig } from '../capability-terms.ts'
import type { Logger } from '../observability/logger.ts'
import type { BackgroundConfig } from './sections/background.ts'
import type { CacheStorage } from './sections/cache-storage.ts'
import type { DatabaseConfig } from './sections/database.ts'
import type { EmailConfig } from './sections/email.ts'
import type { MfaConfig, PasskeysConfig, WebAuthnConfig } from './sections/factors.ts'
import type { HookConfig, HookFunction, HookPoint } from './sections/hooks.ts'
import type { PasswordsConfig } from './sections/passwords.ts'
import type {
  ExternalSignInConfig,
  ProvidersConfig,
  SamlConfig,
  Web3Config,
} from './sections/providers.ts'
import type { RateLimitsConfig } from './sections/rate-limits.ts'
import type { SecurityConfig } from './sections/security.ts'
import type { ApiConfig, LogConfig, OutgoingConfig, ServerConfig } from './sections/server.ts'
import type { AnonymousUsersConfig, UsernamesConfig } from './sections/sign-in.ts'
import type { AuditLogConfig, LinksConfig, RedirectsConfig } from './sections/site.ts'
import type { SmsConfig } from './sections/sms.ts'
import type { TelemetryConfig } from './sections/telemetry.ts'
import type { JwtConfig, SessionsConfig } from './sections/tokens.ts'

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
   * `fatal`, such as a pino logger. Default: warnings and errors to stderr, one line each. False:
   * none.
   */
  logger?: Logger | false | undefined
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
