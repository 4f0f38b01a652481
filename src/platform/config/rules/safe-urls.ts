import { isPublic, readIpAddress } from '../../kit/ip-address.ts'
import { smtpTlsPolicy } from '../../kit/smtp-tls-policy.ts'
import { capabilityUrls } from '../capability-settings.ts'
import type { Config } from '../config.ts'
import type { ResolvedMailTemplate } from '../sections/email.ts'
import type { Rule } from './rule.ts'

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
