import type { ResolvedCapabilityConfig } from '../capability-terms.ts'
import type { Logger } from '../observability/logger.ts'
import type { ProviderName } from './provider-names.ts'
import type { ResolvedBackground } from './sections/background.ts'
import type { CacheStorage } from './sections/cache-storage.ts'
import type { ResolvedDatabase } from './sections/database.ts'
import type { ResolvedEmail } from './sections/email.ts'
import type { ResolvedMfa, ResolvedPasskeys, ResolvedWebAuthn } from './sections/factors.ts'
import type { HookPoint, ResolvedHook } from './sections/hooks.ts'
import type { ResolvedPasswords } from './sections/passwords.ts'
import type {
  ResolvedAppleProvider,
  ResolvedExternalSignIn,
  ResolvedProvider,
  ResolvedSaml,
  ResolvedWeb3,
  ResolvedWorkosProvider,
} from './sections/providers.ts'
import type { ResolvedRateLimits } from './sections/rate-limits.ts'
import type { ResolvedSecurity } from './sections/security.ts'
import type { ResolvedLog, ResolvedServer } from './sections/server.ts'
import type { ResolvedAnonymousUsers, ResolvedUsernames } from './sections/sign-in.ts'
import type { ResolvedAuditLog, ResolvedLinks, ResolvedRedirects } from './sections/site.ts'
import type { ResolvedSms } from './sections/sms.ts'
import type { ResolvedTelemetry } from './sections/telemetry.ts'
import type { ResolvedJwt, ResolvedSessions } from './sections/tokens.ts'

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
  api: { maxBodyBytesInFlight: number }
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
