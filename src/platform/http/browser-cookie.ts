import { getCookie, type H3Event } from 'h3'
import type { Config } from '../config/config.ts'
import { cookiePairs } from './cookie-pairs.ts'

/**
 * The secret that ties a browser to what it began. It opens nothing by itself.
 *
 * Where the service is reached over TLS, nobody but it can set the cookie, and it comes with the form that Apple's page
 * submits. @see RFC 6265bis §4.1.3.2
 */
const nameOf = ({ externalUrl }: Pick<Config, 'externalUrl'>): string =>
  isSecure(externalUrl) ? '__Host-latchkey-browser' : 'latchkey-browser'

export const isSecure = (externalUrl: string): boolean => externalUrl.startsWith('https:')

/** At least; no shorter than people may take at a provider. */
const lifetimeSeconds = 3600

const form = /^[0-9a-f]{32}$/

/** The secret of the browser that asks; null where it has none. */
export function readBrowser(config: Pick<Config, 'externalUrl'>, event: H3Event): string | null {
  return cookieOf(event, nameOf(config), form)
}

/** A secret of ours that a cookie holds; null where there is none of this form, or several. */
export function cookieOf(event: H3Event, name: string, ofSecret: RegExp): string | null {
  const secret = getCookie(event, name)
  const isOne = secret !== undefined && ofSecret.test(secret) && timesSent(event, name) === 1
  return isOne ? secret : null
}

/** Without TLS a neighbouring host may set one of the same name, and which of them comes first is up to the browser. */
const timesSent = (event: H3Event, name: string): number =>
  cookiePairs(event.req.headers.get('cookie') ?? '').filter((pair) => pair.name === name).length

/** The `Set-Cookie` header that stores the secret of a browser. Without TLS there is no `SameSite=None`. */
export function bindBrowser(
  config: Pick<Config, 'externalUrl' | 'externalSignIn'>,
  secret: string,
): string {
  const maxAge = Math.max(lifetimeSeconds, config.externalSignIn.lifetimeSeconds)
  const rest = isSecure(config.externalUrl) ? '; Secure; SameSite=None' : ''
  return `${nameOf(config)}=${secret}; Path=/; Max-Age=${maxAge}; HttpOnly${rest}`
}
