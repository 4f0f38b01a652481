import type { Config } from '../../platform/config/config.ts'
import { boolean } from '../../platform/config/parsers/choices.ts'
import { list } from '../../platform/config/parsers/lists.ts'
import { map } from '../../platform/config/parsers/maps.ts'
import { seconds } from '../../platform/config/parsers/numbers.ts'
import { text } from '../../platform/config/parsers/texts.ts'
import { urlOrPath } from '../../platform/config/parsers/urls.ts'
import type { Rule } from '../../platform/config/rules/rule.ts'
import { live } from '../../platform/config/setting.ts'
import { isLoopbackHost, readIpAddress } from '../../platform/kit/ip-address.ts'
import { scopesIn } from '../../platform/kit/scopes-in.ts'
import { standardScopes } from '../../platform/kit/standard-scopes.ts'
import { withoutTrailingSlashes } from '../../platform/kit/trailing-slashes.ts'

export const settingsTitle = 'OAuth server'

export const settings = [
  live('oauthServer.enabled', {
    env: 'OAUTH_SERVER_ENABLED',
    parser: boolean,
    default: false,
    description: 'OAuth 2.1 and OpenID Connect provider of other applications.',
  }),
  live('oauthServer.allowDynamicRegistration', {
    env: 'OAUTH_SERVER_ALLOW_DYNAMIC_REGISTRATION',
    parser: boolean,
    default: false,
    description: 'Allows clients to register themselves.',
  }),
  live('oauthServer.authorizationPath', {
    env: 'OAUTH_SERVER_AUTHORIZATION_PATH',
    parser: urlOrPath,
    default: null,
    description: 'Path of the consent page on the site.',
  }),
  live('oauthServer.authorizationLifetimeSeconds', {
    env: 'OAUTH_SERVER_AUTHORIZATION_TTL',
    parser: seconds({ min: 1, max: 86_400 }),
    default: 600,
    bounds: { unit: 'seconds', unusual: 3_600, ceiling: 86_400, source: 'RFC 6749 §4.1.2' },
    description: 'Time from an authorization request to the exchange of its code.',
  }),
  live('oauthServer.defaultScope', {
    env: 'OAUTH_SERVER_DEFAULT_SCOPE',
    parser: text,
    default: 'email',
    description: 'Scope of a request without one.',
  }),
  live('oauthServer.scopes', {
    env: null,
    parser: map(':'),
    default: {},
    defaultText: 'none',
    description: 'Scopes of the application, each with a description for its users.',
  }),
  live('oauthServer.resources', {
    env: 'OAUTH_SERVER_RESOURCES',
    parser: list(),
    default: [],
    defaultText: 'any',
    description: 'Resources (RFC 8707) for which tokens are issued.',
  }),
  live('oauthServer.deviceFlow.enabled', {
    env: 'OAUTH_SERVER_DEVICE_FLOW_ENABLED',
    parser: boolean,
    default: false,
    description: 'Grant of devices whose users sign in on another device (RFC 8628).',
  }),
  live('oauthServer.deviceFlow.path', {
    env: 'OAUTH_SERVER_DEVICE_PATH',
    parser: urlOrPath,
    default: '/oauth/device',
    description: 'Path of the page on the site where users enter the code of a device.',
  }),
  live('oauthServer.clientCredentials.enabled', {
    env: 'OAUTH_SERVER_CLIENT_CREDENTIALS_ENABLED',
    parser: boolean,
    default: false,
    description: 'Grant `client_credentials`, for confidential clients that an operator created.',
  }),
  live('oauthServer.tokenExchange.enabled', {
    env: 'OAUTH_SERVER_TOKEN_EXCHANGE_ENABLED',
    parser: boolean,
    default: false,
    description:
      'Exchange of a token for one with less access (RFC 8693), for clients of operators.',
  }),
  live('oauthServer.clientIdMetadataDocuments.enabled', {
    env: 'OAUTH_SERVER_CLIENT_ID_METADATA_DOCUMENTS_ENABLED',
    parser: boolean,
    default: false,
    description: 'Clients whose `client_id` is the URL of a document that describes them.',
  }),
  live('oauthServer.clientIdMetadataDocuments.trustedHosts', {
    env: 'OAUTH_SERVER_CLIENT_ID_METADATA_DOCUMENTS_TRUSTED_HOSTS',
    parser: list(),
    default: [],
    defaultText: 'none',
    description:
      'Hosts, as `host` or `host:port`, whose documents may come from a private address, over TLS.',
  }),
] as const

/** Returns the URL of the consent page, which the browser opens with its session. */
export const openedUrls = ({
  oauthServer: { enabled, authorizationPath },
}: Pick<Config, 'oauthServer'>): [string, string | null][] =>
  enabled ? [['oauthServer.authorizationPath', authorizationPath]] : []

/** Rejects a default that no request could have: every request without a scope would fail. */
const rejectUnknownDefaultScope: Rule = ({ config, report }) => {
  const { enabled, defaultScope, scopes } = config.oauthServer
  const path = 'oauthServer.defaultScope'
  if (!enabled || report.hasProblem(path) || report.hasProblem('oauthServer.scopes')) return
  const known: readonly string[] = [...standardScopes, ...Object.keys(scopes)]
  const unknown = scopesIn(defaultScope).find((scope) => !known.includes(scope))
  if (unknown === undefined) return
  report.problem(
    path,
    `must not contain ${JSON.stringify(unknown)}, which is neither a standard scope nor in ${report.name('oauthServer.scopes')}`,
  )
}

/** Warns of documents that clients can have the service read from itself and its neighbours. */
const warnOfLocalDocuments: Rule = ({ config, report }) => {
  const { enabled, clientIdMetadataDocuments: documents } = config.oauthServer
  if (config.development || !enabled || !documents.enabled) return
  for (const host of documents.trustedHosts.filter(isLocal)) {
    report.warn(
      'oauthServer.clientIdMetadataDocuments.trustedHosts',
      `has ${host}: every client can have the service send requests to this machine, or to the metadata service of its cloud`,
    )
  }
}

/** Warns of a missing consent page, without which all requests of browsers fail. */
const warnWithoutConsentPage: Rule = ({ config, report }) => {
  const { enabled, authorizationPath } = config.oauthServer
  const path = 'oauthServer.authorizationPath'
  if (!enabled || authorizationPath !== null || report.hasProblem(path)) return
  report.warn(
    path,
    `is not set, so /oauth/authorize fails: set it to your consent page, or enable ${report.name('pages.enabled')}`,
  )
}

/** Warns of metadata that names endpoints at another URL than that of the service. */
const warnOfOtherIssuer: Rule = ({ config, report }) => {
  const { jwt, externalUrl, oauthServer } = config
  if (!oauthServer.enabled || jwt.issuer === null) return
  if (withoutTrailingSlashes(jwt.issuer) === withoutTrailingSlashes(externalUrl)) return
  if (report.hasProblem('jwt.issuer') || report.hasProblem('externalUrl')) return
  report.warn(
    'jwt.issuer',
    `is ${jwt.issuer}, so OAuth clients send requests there, not to ${report.name('externalUrl')} (${externalUrl}): set both to the same URL, unless the issuer leads to this service`,
  )
}

const linkLocal = /^(?:169\.254\.|fe[89ab][\da-f]:)/i

/** Returns whether a host is this machine, or an address that is valid on its link only. */
function isLocal(host: string): boolean {
  const name = URL.parse(`https://${host}`)?.hostname ?? ''
  const address = readIpAddress(name.replace(/^\[|\]$/g, ''))?.text ?? ''
  return isLoopbackHost(name) || ['0.0.0.0', '::'].includes(address) || linkLocal.test(address)
}

export const rules: readonly Rule[] = [
  rejectUnknownDefaultScope,
  warnOfLocalDocuments,
  warnWithoutConsentPage,
  warnOfOtherIssuer,
]
