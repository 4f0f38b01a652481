import { isPublic, readIpAddress } from '../../kit/ip-address.ts'
import { smtpTlsPolicy } from '../../kit/smtp-tls-policy.ts'
import { capabilityBounds, capabilityUrls } from '../capability-settings.ts'
import type { Config } from '../config.ts'
import type { ResolvedMailTemplate } from '../sections/email.ts'
import type { Bounds, Rule } from './rule.ts'

const minute = 60
const hour = 60 * minute
const day = 24 * hour
const year = 365 * day

/** The bounds of settings whose larger values weaken a protection. @see docs/security.md */
export const bounds: readonly Bounds[] = [
  {
    path: 'security.refreshTokens.reuseIntervalSeconds',
    value: ({ security }) => security.refreshTokens.reuseIntervalSeconds,
    unit: 'seconds',
    ceiling: minute,
    unusual: minute,
    source: 'RFC 9700 §4.14.2',
  },
  {
    path: 'security.recentProofSeconds',
    value: ({ security }) => security.recentProofSeconds,
    unit: 'seconds',
    ceiling: day,
    unusual: 2 * hour,
    source: 'OWASP ASVS 5.0 §7.5.1',
  },
  {
    path: 'jwt.lifetimeSeconds',
    value: ({ jwt }) => jwt.lifetimeSeconds,
    unit: 'seconds',
    ceiling: 7 * day,
    unusual: day,
    source: 'RFC 9700 §2.2.1',
  },
  {
    path: 'jwt.rotation.intervalSeconds',
    value: ({ jwt }) => jwt.rotation.intervalSeconds,
    unit: 'seconds',
    ceiling: 2 * year,
    unusual: year,
    source: 'NIST SP 800-57 §5.3.6',
  },
  {
    path: 'jwt.rotation.overlapSeconds',
    value: ({ jwt }) => jwt.rotation.overlapSeconds,
    unit: 'seconds',
    ceiling: 30 * day,
    unusual: 7 * day,
    source: 'NIST SP 800-57 §5.3.6',
  },
  {
    path: 'sessions.allowLowAalSeconds',
    value: ({ sessions }) => sessions.allowLowAalSeconds,
    unit: 'seconds',
    ceiling: 30 * day,
    unusual: day,
    source: 'NIST SP 800-63B §4.2.3',
  },
  {
    path: 'sessions.maxPerUser',
    value: ({ sessions }) => sessions.maxPerUser,
    unit: 'sessions',
    ceiling: 10_000,
    unusual: 1_000,
    source: 'OWASP ASVS 5.0 §7.1.2',
  },
  {
    path: 'email.otpLifetimeSeconds',
    value: ({ email }) => email.otpLifetimeSeconds,
    unit: 'seconds',
    ceiling: 7 * day,
    unusual: day,
    source: 'OWASP ASVS 5.0 §6.5.5',
  },
  {
    path: 'sms.otpLifetimeSeconds',
    value: ({ sms }) => sms.otpLifetimeSeconds,
    unit: 'seconds',
    ceiling: hour,
    unusual: 10 * minute,
    source: 'OWASP ASVS 5.0 §6.5.5',
  },
  {
    path: 'mfa.challengeExpirySeconds',
    value: ({ mfa }) => mfa.challengeExpirySeconds,
    unit: 'seconds',
    ceiling: hour,
    unusual: 10 * minute,
    source: 'OWASP ASVS 5.0 §6.5.5',
  },
  {
    path: 'mfa.factorExpirySeconds',
    value: ({ mfa }) => mfa.factorExpirySeconds,
    unit: 'seconds',
    ceiling: day,
    unusual: hour,
    source: 'OWASP ASVS 5.0 §6.4.1',
  },
  ...capabilityBounds,
  {
    path: 'mfa.maxEnrolledFactors',
    value: ({ mfa }) => mfa.maxEnrolledFactors,
    unit: 'factors',
    ceiling: 1_000,
    unusual: 100,
    source: 'OWASP API4:2023',
  },
  {
    path: 'mfa.maxVerifiedFactors',
    value: ({ mfa }) => mfa.maxVerifiedFactors,
    unit: 'factors',
    ceiling: 1_000,
    unusual: 100,
    source: 'OWASP API4:2023',
  },
  {
    path: 'passkeys.maxPasskeysPerUser',
    value: ({ passkeys }) => passkeys.maxPasskeysPerUser,
    unit: 'passkeys',
    ceiling: 1_000,
    unusual: 100,
    source: 'OWASP API4:2023',
  },
  {
    path: 'webAuthn.challengeExpirySeconds',
    value: ({ webAuthn }) => webAuthn.challengeExpirySeconds,
    unit: 'seconds',
    ceiling: hour,
    unusual: 10 * minute,
    source: 'WebAuthn L3 §13.4.3',
  },
  {
    path: 'externalSignIn.lifetimeSeconds',
    value: ({ externalSignIn }) => externalSignIn.lifetimeSeconds,
    unit: 'seconds',
    ceiling: day,
    unusual: hour,
    source: 'RFC 9700 §4.7.1',
  },
  {
    path: 'externalSignIn.discoveryLifetimeSeconds',
    value: ({ externalSignIn }) => externalSignIn.discoveryLifetimeSeconds,
    unit: 'seconds',
    ceiling: 7 * day,
    unusual: day,
    source: 'OpenID Connect Core §10.1.1',
  },
  {
    path: 'web3.solanaMaximumValiditySeconds',
    value: ({ web3 }) => web3.solanaMaximumValiditySeconds,
    unit: 'seconds',
    ceiling: day,
    unusual: hour,
    source: 'ERC-4361',
  },
  {
    path: 'web3.ethereumMaximumValiditySeconds',
    value: ({ web3 }) => web3.ethereumMaximumValiditySeconds,
    unit: 'seconds',
    ceiling: day,
    unusual: hour,
    source: 'ERC-4361',
  },
  {
    path: 'outgoing.timeoutSeconds',
    value: ({ outgoing }) => outgoing.timeoutSeconds,
    unit: 'seconds',
    ceiling: 10 * minute,
    unusual: minute,
    source: 'OWASP API4:2023',
  },
  {
    path: 'api.maxBodyBytesInFlight',
    value: ({ api }) => api.maxBodyBytesInFlight,
    unit: 'bytes',
    ceiling: 4_294_967_296,
    unusual: 268_435_456,
    source: 'OWASP API4:2023',
  },
  {
    path: 'api.maxRequestsInFlight',
    value: ({ api }) => api.maxRequestsInFlight,
    unit: 'requests',
    ceiling: 1_000_000,
    unusual: 50_000,
    source: 'OWASP API4:2023',
  },
  {
    path: 'email.templateFetch.maxSizeBytes',
    value: ({ email }) => email.templateFetch.maxSizeBytes,
    unit: 'bytes',
    ceiling: 16_777_216,
    unusual: 1_048_576,
    source: 'OWASP API4:2023',
  },
]

/** Rejects values beyond a ceiling, and warns about unusual ones. */
export const requireWithinBounds: Rule = ({ config, report }) => {
  for (const { path, value, unit, ceiling, unusual, source } of bounds) {
    const given = value(config)
    if (given === null) continue
    if (given > ceiling)
      report.problem(path, `must not be more than ${ceiling} ${unit} (${source})`)
    else if (given > unusual) {
      const excess = unit === 'seconds' ? 'long' : 'large'
      report.warn(path, `is unusually ${excess}: ${given} ${unit}, where ${unusual} are common`)
    }
  }
}

/** OWASP's minimum: fewer passes need more memory. @see OWASP Password Storage Cheat Sheet */
export const argon2Minimum: readonly { memoryKib: number; iterations: number }[] = [
  { memoryKib: 47_104, iterations: 1 },
  { memoryKib: 19_456, iterations: 2 },
  { memoryKib: 12_288, iterations: 3 },
  { memoryKib: 9_216, iterations: 4 },
  { memoryKib: 7_168, iterations: 5 },
]

/**
 * Rejects weak password hashes in production. Elsewhere they cause a warning, since test suites
 * need fast ones.
 */
export const requireStrongHashes =
  (production: boolean): Rule =>
  ({ config, report }) => {
    const { memoryKib, iterations } = config.passwords.argon2
    const isStrong = argon2Minimum.some(
      (least) => memoryKib >= least.memoryKib && iterations >= least.iterations,
    )
    if (isStrong) return
    const path = 'passwords.argon2.memoryKib'
    const message = `is too little with ${iterations} iterations: OWASP requires 19456 KiB with 2, or 47104 KiB with 1`
    if (production) report.problem(path, message)
    else if (!config.development) report.warn(path, `${message}; production rejects it`)
  }

/**
 * Requires a site that browsers can reach, and encryption of requests that leave the private
 * network.
 */
export const requireSafeUrls: Rule = ({ config, report }) => {
  const { development } = config
  for (const [path, url] of openedUrls(config)) {
    const host = URL.parse(url ?? '')?.hostname ?? ''
    if (development) continue
    if (['0.0.0.0', '[::]'].includes(host)) {
      report.problem(path, `must name a host: ${host} is an address to listen on`)
    } else if (reachOf(url) !== 'private') {
      report.warn(
        path,
        'is not encrypted: passwords, codes and tokens can be read on the network path',
      )
    }
  }
  for (const [path, url] of calledUrls(config)) {
    const reach = reachOf(url)
    if (reach === 'public') report.problem(path, 'must be an https: URL: its host is public')
    if (reach === 'unknown') {
      report.warn(path, 'is not encrypted: it is called only where its host has private addresses')
    }
  }
  for (const [path, url] of exportedTo(config)) {
    if (reachOf(url) !== 'private') report.warn(path, 'is not encrypted, nor are its headers')
  }
}

type UrlAt = readonly [path: string, url: string | null]

/** Returns the URLs that browsers open with tokens, codes and passwords. */
const openedUrls = (config: Config): readonly UrlAt[] => [
  ['siteUrl', config.siteUrl],
  ['externalUrl', config.externalUrl],
  ...capabilityUrls.flatMap((urlsOf) => urlsOf(config)),
]

/**
 * Returns the URLs that are called while requests are served. `http:` is permitted for private
 * hosts only.
 */
function calledUrls({ hooks, email, providers, externalSignIn }: Config): UrlAt[] {
  return [
    ...Object.entries(hooks).map(
      ([point, { enabled, uri }]): UrlAt => [`hooks.${point}.uri`, enabled ? uri : null],
    ),
    ...Object.entries(email.templates).flatMap(([mail, template]) =>
      templateUrls(`email.templates.${mail}`, template),
    ),
    ['email.validation.serviceUrl', email.validation.serviceUrl],
    ...Object.entries(providers).map(
      ([name, { enabled, url }]): UrlAt => [`providers.${name}.url`, enabled ? url : null],
    ),
    ...Object.keys(externalSignIn.allowedIdTokenIssuers).map(
      (issuer): UrlAt => ['externalSignIn.allowedIdTokenIssuers', issuer],
    ),
  ]
}

function templateUrls(path: string, template: ResolvedMailTemplate | null): UrlAt[] {
  if (typeof template === 'string') return [[path, template]]
  if (template === null || typeof template === 'function') return []
  return Object.values(template).flatMap((one) => templateUrls(path, one))
}

function exportedTo({ telemetry: { tracing, metrics, otlp } }: Config): UrlAt[] {
  if (!tracing.enabled && !metrics.enabled) return []
  return Object.entries({
    endpoint: otlp.endpoint,
    tracesEndpoint: otlp.tracesEndpoint,
    metricsEndpoint: otlp.metricsEndpoint,
  }).map(([name, url]): UrlAt => [`telemetry.otlp.${name}`, url])
}

/** Returns the reach of a URL of `http:`. Encrypted URLs, and paths, count as private. */
function reachOf(text: string | null): 'private' | 'public' | 'unknown' {
  const url = URL.parse(text ?? '')
  if (url?.protocol !== 'http:') return 'private'
  const address = readIpAddress(url.hostname.replace(/^\[|\]$/g, ''))
  if (address !== null) return isPublic(address) ? 'public' : 'private'
  return isPublicName(url.hostname) ? 'unknown' : 'private'
}

/** Warns that links and codes may be sent unencrypted, if the operator permits it. */
export const warnOfOptionalTls: Rule = ({ config, report }) => {
  const { smtp } = config.email
  if (smtp.host === null) return
  if (smtpTlsPolicy(smtp) === smtpTlsPolicy({ ...smtp, tls: 'required' })) return
  report.warn(
    'email.smtp.tls',
    'is opportunistic: links and codes are sent unencrypted if the mail server, or an attacker on the path to it, offers no TLS',
  )
}

/**
 * Reports whether a name is public: names of private networks have one label or a domain reserved
 * for them.
 */
const isPublicName = (host: string): boolean =>
  /\.[^.]/.test(host) && !/\.(?:local|localhost|internal|lan|test|home\.arpa)$/.test(host)
