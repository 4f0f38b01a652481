import { isLoopbackHost } from '../kit/loopback.ts'
import { linkMailKinds } from '../mails/mails.ts'
import type { Config } from './config.ts'
import type { Given } from './read-settings.ts'

/**
 * Fills in what other settings decide.
 *
 * @param explicit leaves out what an environment must say itself: where the service is reached, and
 *   where providers send people back to. Development never needs to be told.
 */
export function deriveDefaults(config: Config, given: Given, explicit: boolean): void {
  if (config.development) deriveForDevelopment(config, given)
  if (!explicit || config.development) deriveUrls(config, given)
  const { urlPaths } = config.email
  deriveRelyingParty(config, given)
  // Both links do the same: they sign somebody in.
  if (!given.has('email.urlPaths.magicLink')) urlPaths.magicLink = urlPaths.recovery
}

function deriveUrls(config: Config, given: Given): void {
  if (!given.has('externalUrl')) config.externalUrl = externalUrlOf(config)
  for (const kind of linkMailKinds) {
    const isGiven = given.has(`email.urlPaths.${kind}`)
    if (!isGiven) config.email.urlPaths[kind] = linkPathOf(config)
  }
  deriveRedirectUris(config)
}

/** Of several providers each has a callback of its own, so that a response cannot pass for another's. @see RFC 9700 §4.4 */
function deriveRedirectUris({ providers, externalUrl }: Config): void {
  const enabled = Object.entries(providers).filter(([, provider]) => provider.enabled)
  for (const [name, provider] of enabled) {
    provider.redirectUri ??= `${externalUrl}/callback${enabled.length > 1 ? `/${name}` : ''}`
  }
}

/** Passkeys are bound to where people use them: the site, unless somebody says otherwise. */
function deriveRelyingParty({ siteUrl, webAuthn }: Config, given: Given): void {
  const site = URL.parse(siteUrl)
  const isWeb = site?.protocol === 'http:' || site?.protocol === 'https:'
  // Browsers make none for an address; the same machine has a name as well.
  const isAddress = isWeb && !site.hostname.endsWith('localhost')
  if (isAddress && isLoopbackHost(site.hostname)) site.hostname = 'localhost'
  if (!given.has('webAuthn.rpId')) webAuthn.rpId = isWeb ? site.hostname : ''
  if (!given.has('webAuthn.rpDisplayName')) webAuthn.rpDisplayName = webAuthn.rpId
  if (!given.has('webAuthn.rpOrigins')) webAuthn.rpOrigins = isWeb ? [site.origin] : []
}

/** Where links end in development, below `externalUrl`, until somebody says where the application is. */
export const landingPath = '/_latchkey/landed'

/** A service that is mounted is a part of the application, so that is known; any other shows a page of ours. */
function deriveForDevelopment(config: Config, given: Given): void {
  if (given.has('siteUrl')) return
  const { basePath, externalUrl } = config
  const ours = given.has('externalUrl') && externalUrl ? externalUrl : externalUrlOf(config)
  config.siteUrl = basePath === '' ? `${ours}${landingPath}` : 'http://127.0.0.1:3000'
}

/**
 * A service that is mounted in an application is reached where that is. Empty when the site is an
 * app with a scheme of its own: `requireUrls` then asks for one.
 */
function externalUrlOf({ development, siteUrl, basePath, server }: Config): string {
  if (development && basePath === '') return `http://127.0.0.1:${server.port}`
  const site = URL.parse(siteUrl)
  const isWeb = site?.protocol === 'http:' || site?.protocol === 'https:'
  return isWeb ? `${site.origin}${site.pathname.replace(/\/+$/, '')}${basePath}` : ''
}

/**
 * A path in a link replaces that of the external URL, so it leads to where we are mounted, behind what
 * a proxy may put before that. Not mounted, the path of an external URL is lost, as it always was.
 */
function linkPathOf({ externalUrl, basePath }: Config): string {
  const path = URL.parse(externalUrl)?.pathname ?? ''
  return `${basePath !== '' && path.endsWith(basePath) ? path : basePath}/verify`
}
