import type { H3Event } from 'h3'
import type { Config } from '../config/config.ts'
import { cookiePairs, valueOfPair } from './cookie-pairs.ts'

/**
 * The cookie that binds a browser to its authorization request. It grants no access.
 *
 * With TLS only the service can set the cookie, and browsers send it with the form that Apple's
 * page submits. @see RFC 6265bis §4.1.3.2
 */
const nameOf = ({ externalUrl }: Pick<Config, 'externalUrl'>): string =>
  isSecure(externalUrl) ? '__Host-latchkey-browser' : 'latchkey-browser'

export const isSecure = (externalUrl: string): boolean => externalUrl.startsWith('https:')

/** The minimum lifetime; it must not be shorter than that of an authorization request. */
const lifetimeSeconds = 3600

const form = /^[0-9a-f]{32}$/

/** Returns the browser's secret; null without one. */
export function readBrowser(config: Pick<Config, 'externalUrl'>, event: H3Event): string | null {
  return cookieOf(event, nameOf(config), form)
}

/**
 * Returns a secret in a cookie; null if it has another form, is missing or is repeated.
 *
 * Without TLS a neighbouring host may set a cookie of the same name, and the browser decides the
 * order of both. Nothing is decoded: a form contains only characters that are never encoded.
 */
export function cookieOf(event: H3Event, name: string, ofSecret: RegExp): string | null {
  const sent = cookiePairs(event.req.headers.get('cookie') ?? '').filter((one) => one.name === name)
  const [first] = sent
  if (!first || sent.length > 1) return null
  const secret = valueOfPair(first)
  return ofSecret.test(secret) ? secret : null
}

/**
 * Returns the `Set-Cookie` header that stores the secret of a browser. Without TLS there is no
 * `SameSite=None`.
 */
export function bindBrowser(
  config: Pick<Config, 'externalUrl' | 'externalSignIn'>,
  secret: string,
): string {
  const maxAge = Math.max(lifetimeSeconds, config.externalSignIn.lifetimeSeconds)
  const rest = isSecure(config.externalUrl) ? '; Secure; SameSite=None' : ''
  return `${nameOf(config)}=${secret}; Path=/; Max-Age=${maxAge}; HttpOnly${rest}`
}
