import { isLoopbackHost } from '../kit/ip-address.ts'
import { withoutTrailingSlashes } from '../kit/trailing-slashes.ts'
import { linkMailKinds } from '../mails/mails.ts'
import { capabilityDefaults } from './capability-settings.ts'
import type { Config } from './config.ts'
import { enabledProviders } from './enabled-providers.ts'
import type { Given } from './read-settings.ts'

interface DeriveOptions {
  /**
   * Skips settings that an environment must contain: the URL of the service, and the redirect URIs
   * of providers. Development requires neither.
   */
  explicit: boolean
}

/** Sets the defaults that depend on other settings. */
export function deriveDefaults(config: Config, given: Given, { explicit }: DeriveOptions): void {
  if (config.development) deriveForDevelopment(config, given)
  if (!explicit || config.development) deriveUrls(config, given)
  const { rateLimits } = config
  const hasRedis = rateLimits.redis !== null || rateLimits.redisUrl !== null
  if (!given.has('rateLimits.store') && hasRedis) rateLimits.store = 'redis'
  const { urlPaths } = config.email
  deriveRelyingParty(config, given)
  // Both links have the same effect: they sign the user in.
  if (!given.has('email.urlPaths.magicLink')) urlPaths.magicLink = urlPaths.recovery
  for (const derive of capabilityDefaults) derive(config, given)
}

function deriveUrls(config: Config, given: Given): void {
  if (!given.has('externalUrl')) config.externalUrl = externalUrlOf(config)
  for (const kind of linkMailKinds) {
    const isGiven = given.has(`email.urlPaths.${kind}`)
    if (!isGiven) config.email.urlPaths[kind] = linkPathOf(config)
  }
  deriveRedirectUris(config)
}

/**
 * With several providers each has its own callback, so that a response of one is not accepted as
 * another's. @see RFC 9700 §4.4
 */
function deriveRedirectUris(config: Config): void {
  const enabled = enabledProviders(config)
  for (const [name, provider] of enabled) {
    provider.redirectUri ??= `${config.externalUrl}/callback${enabled.length > 1 ? `/${name}` : ''}`
  }
}

/** Derives the relying party of passkeys from the site, where passkeys are used. */
function deriveRelyingParty({ siteUrl, webAuthn }: Config, given: Given): void {
  const site = URL.parse(siteUrl)
  const isWeb = site?.protocol === 'http:' || site?.protocol === 'https:'
  // Browsers accept no IP address as a relying party. Locally, `localhost` can be used.
  const isAddress = isWeb && !site.hostname.endsWith('localhost')
  if (isAddress && isLoopbackHost(site.hostname)) site.hostname = 'localhost'
  if (!given.has('webAuthn.rpId')) webAuthn.rpId = isWeb ? site.hostname : ''
  if (!given.has('webAuthn.rpDisplayName')) webAuthn.rpDisplayName = webAuthn.rpId
  if (!given.has('webAuthn.rpOrigins')) webAuthn.rpOrigins = isWeb ? [site.origin] : []
}

/** The target of links in development, below `externalUrl`, until a site is configured. */
export const landingPath = '/_latchkey/landed'

/**
 * A mounted service is part of the application, whose URL is therefore known; otherwise links lead
 * to a page of the service.
 */
function deriveForDevelopment(config: Config, given: Given): void {
  if (given.has('siteUrl')) return
  const { basePath, externalUrl } = config
  const ours = given.has('externalUrl') && externalUrl ? externalUrl : externalUrlOf(config)
  config.siteUrl = basePath === '' ? `${ours}${landingPath}` : 'http://127.0.0.1:3000'
}

/**
 * Derives the URL of a service that is mounted in an application. Empty if the site is an app with
 * its own URL scheme: `requireUrls` then requires a URL.
 */
function externalUrlOf({ development, siteUrl, basePath, server }: Config): string {
  if (development && basePath === '') return `http://127.0.0.1:${server.port}`
  const site = URL.parse(siteUrl)
  const isWeb = site?.protocol === 'http:' || site?.protocol === 'https:'
  return isWeb ? `${site.origin}${withoutTrailingSlashes(site.pathname)}${basePath}` : ''
}

/**
 * Returns the path of links, which replaces the path of the external URL. It therefore includes the
 * mount path and any path that a proxy adds. If the service is not mounted, the path of an external
 * URL is lost, as in GoTrue.
 */
function linkPathOf({ externalUrl, basePath }: Config): string {
  const path = URL.parse(externalUrl)?.pathname ?? ''
  return `${basePath !== '' && path.endsWith(basePath) ? path : basePath}/verify`
}
