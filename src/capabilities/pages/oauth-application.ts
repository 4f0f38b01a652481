import { standardScopes } from '../../platform/kit/standard-scopes.ts'
import { consentUrl } from '../oauth-server/authorize.ts'
import type { PageRequest } from './page-request.ts'
import type { TextKey } from './texts/en.ts'

/** An application that requests or has access to the account, as its client describes itself. */
export interface DescribedClient {
  clientId: string
  clientName: string | null
  clientUri: string | null
  logoUri: string | null
}

/**
 * Returns the domain of the application: that of its metadata document, else that of its redirect
 * URI. A client may state any `client_uri`, also a parent of this domain, which need not have the
 * same owner, as that of a hosting service.
 *
 * @param redirectUri null where the request is over.
 * @returns null for an application on the user's machine.
 */
export const publisherOf = (
  { clientId }: Pick<DescribedClient, 'clientId'>,
  redirectUri: string | null,
): string | null => hostOf(clientId) ?? hostOf(redirectUri)

const hostOf = (uri: string | null): string | null => {
  const url = URL.parse(uri ?? '')
  return url?.protocol === 'https:' ? url.hostname : null
}

/** Returns the logo of the application; null unless it is at the origin of the application. */
export function logoOf(
  { clientId, clientUri, logoUri }: DescribedClient,
  redirectUri: string | null,
): string | null {
  const logo = URL.parse(logoUri ?? '')
  if (logo?.protocol !== 'https:') return null
  const publisher = publisherOf({ clientId }, redirectUri)
  const origins = [clientId, clientUri, redirectUri].flatMap((uri) => {
    const url = URL.parse(uri ?? '')
    return url !== null && isWithin(url.hostname, publisher) ? [url.origin] : []
  })
  return origins.includes(logo.origin) ? logo.href : null
}

const isWithin = (host: string, domain: string | null): boolean =>
  domain !== null && (host === domain || host.endsWith(`.${domain}`))

/** Returns whether a request is one of a device, whose user enters its code on a page. */
export const isDeviceRequest = ({ ctx }: PageRequest, redirectUri: string): boolean =>
  redirectUri === consentUrl(ctx, ctx.config.oauthServer.deviceFlow.path, {})

/** Returns the name of the application as users read it. */
export const nameOfClient = (
  { text }: Pick<PageRequest, 'text'>,
  { clientName }: Pick<DescribedClient, 'clientName'>,
  publisher: string | null,
): string => clientName ?? publisher ?? text('consent.unnamed')

/** Returns the meaning of a scope: that of the configuration, else that of OpenID Connect. */
export function meaningOf({ host, text }: PageRequest, scope: string): string {
  const { scopes } = host.deps.config.oauthServer
  if (Object.hasOwn(scopes, scope) && scopes[scope]) return scopes[scope]
  return (standardScopes as readonly string[]).includes(scope)
    ? text(`scope.${scope}` as TextKey)
    : scope
}
