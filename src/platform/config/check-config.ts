import { ConfigError } from '../errors/start-errors.ts'
import { deepFreeze } from '../kit/deep-freeze.ts'
import { isRecord } from '../kit/is-record.ts'
import { capabilityRules } from './capability-settings.ts'
import type { AuthConfig, Config } from './config.ts'
import { customProvidersIn } from './custom-providers.ts'
import { deriveDefaults } from './derive-defaults.ts'
import { givenIn, readSettings, reportUnknownKeys } from './read-settings.ts'
import { createReport, type Report } from './report.ts'
import { requireLongStaleness } from './rules/anonymous-users.ts'
import { warnOfLostAudit } from './rules/audit-log.ts'
import { requireWithinBounds } from './rules/bounds.ts'
import { requireCaptchaProvider } from './rules/captcha.ts'
import { rejectGuessableSecrets } from './rules/guessable-secrets.ts'
import {
  rejectContradictoryConfirmation,
  rejectScoreBesideSets,
  rejectUnreachableLength,
  requireCompanions,
  requireHashMemory,
  requireMail,
  requirePasskeysForSignUp,
  requireRedis,
  warnWithoutSms,
} from './rules/half-given.ts'
import {
  requireIssuerAudiences,
  requireKnownLinkingDomains,
  requireProviderCredentials,
  requireWholeAppleKey,
  warnOfSkippedNonces,
} from './rules/providers.ts'
import {
  warnOfForwardingWithoutProxy,
  warnOfIdleHops,
  warnOfLostPath,
  warnOfUndeclaredProxy,
} from './rules/reachability.ts'
import { requireRelyingParty } from './rules/relying-party.ts'
import {
  rejectCommonAdminRoles,
  rejectDevelopmentInProduction,
  rejectRepeatedMount,
  requireDatabase,
  requireKeys,
  requireUrls,
} from './rules/required.ts'
import { requireSafeUrls, warnOfOptionalTls } from './rules/safe-urls.ts'
import { requireStrongHashes } from './rules/strong-hashes.ts'
import {
  warnOfUnencryptedTargets,
  warnOfWeakProtection,
  warnWithoutRecentProof,
} from './rules/weak-protection.ts'
import {
  reportNotBuilt,
  warnOfDeprecated,
  warnOfIdleDelay,
  warnOfIdleDiagnostics,
  warnOfServerOnly,
} from './rules/without-effect.ts'
import { settingsWith } from './settings.ts'
import { expandShorthands } from './shorthands.ts'

export interface CheckOptions {
  /** Whether `NODE_ENV` is `production`, in which `development` is rejected. Default false. */
  production?: boolean
  /**
   * Returns the caller's name of a setting; the standalone server uses the environment's name.
   * Default: its path, as in code.
   */
  nameOf?: ((path: string) => string) | undefined
}

export interface CheckedConfig {
  config: Config
  /** Warnings about settings that work, but perhaps not as intended. */
  warnings: readonly string[]
}

/**
 * Checks a configuration as a whole and applies defaults. Reads no file and opens nothing.
 *
 * @returns the configuration, deeply frozen, except objects of the caller such as the logger.
 * @throws ConfigError with all problems, by path. It contains no secret.
 */
export function checkConfig(
  given: AuthConfig,
  { production = false, nameOf }: CheckOptions = {},
): CheckedConfig {
  const report = createReport(nameOf)
  const config = examineConfig(given, report, { production, served: nameOf !== undefined })
  if (report.problems.length > 0) throw new ConfigError(report.problems)
  return { config, warnings: report.warnings }
}

export interface ExamineOptions extends Omit<CheckOptions, 'nameOf'> {
  /**
   * Whether the configuration is for the standalone server, so that its own settings have an
   * effect.
   */
  served?: boolean
  /**
   * Requires settings that are optional in code: `externalUrl`, and the redirect URI of each
   * provider.
   */
  explicit?: boolean
}

/**
 * The work of `checkConfig`, for callers that use other names of settings. The result may be used
 * only if no problem was reported.
 */
export function examineConfig(
  given: AuthConfig,
  report: Report,
  { production = false, explicit = false, served = explicit }: ExamineOptions = {},
): Config {
  if (!isRecord(given)) {
    // Untyped callers can pass other values.
    throw new ConfigError([{ path: 'config', message: 'must be an object' }])
  }
  const tree = expandShorthands(given, report)
  const settings = settingsWith(customProvidersIn(tree, report))
  reportUnknownKeys(
    tree,
    settings.map(({ path }) => path),
    report,
  )

  const config = readSettings(tree, settings, report)
  const context = { config, given: givenIn(tree, settings, report), report }
  deriveDefaults(config, context.given, { explicit })
  const rules = [
    reportNotBuilt,
    warnOfDeprecated,
    rejectDevelopmentInProduction(production),
    requireUrls(explicit),
    rejectRepeatedMount,
    requireDatabase,
    requireKeys,
    rejectGuessableSecrets(production),
    rejectCommonAdminRoles,
    requireMail,
    requireProviderCredentials,
    requirePasskeysForSignUp,
    requireRelyingParty,
    requireWholeAppleKey,
    requireCompanions,
    requireRedis,
    rejectContradictoryConfirmation,
    requireKnownLinkingDomains,
    requireIssuerAudiences,
    requireHashMemory,
    requireStrongHashes(production),
    requireWithinBounds,
    requireSafeUrls,
    warnOfWeakProtection,
    warnOfOptionalTls,
    rejectScoreBesideSets,
    rejectUnreachableLength,
    requireCaptchaProvider(production),
    requireLongStaleness,
    warnWithoutSms,
    warnOfIdleDelay,
    warnOfIdleDiagnostics(served),
    warnOfServerOnly(served),
    warnOfLostAudit(served),
    warnOfLostPath,
    warnOfUndeclaredProxy,
    warnOfForwardingWithoutProxy,
    warnOfSkippedNonces,
    warnOfIdleHops,
    warnOfUnencryptedTargets,
    warnWithoutRecentProof,
    ...capabilityRules,
  ]
  for (const rule of rules) rule(context)
  return deepFreeze(config)
}

/**
 * Reports whether a value of `NODE_ENV` is `production`. Letter case and white space are ignored,
 * so that a typing error does not disable a protection.
 */
export const isProductionEnv = (nodeEnv: string | undefined): boolean =>
  nodeEnv?.trim().toLowerCase() === 'production'

/**
 * Returns whether this process runs in production. The only environment variable that code reads,
 * which can only forbid.
 */
export const isProduction = (): boolean =>
  // biome-ignore lint/style/noProcessEnv: what development makes easy must not happen in production
  isProductionEnv(process.env['NODE_ENV'])
