// What server and page say alike. Nothing of Node is imported here: browsers load it.

/** Over TLS: no other host, no path and no page without TLS can set such a cookie. @see RFC 6265bis §4.1.3.2 */
export const hostPrefix = '__Host-'

export const defaultName = 'latchkey'

export interface CookieNaming {
  prefix: typeof hostPrefix | ''
  name: string
}

/** The cookie that tells scripts of the page when the session has changed, and nothing else. */
export const stateCookieName = ({ prefix, name }: CookieNaming): string => `${prefix}${name}-state`

/** Of what a client keeps between the beginning of a sign-in and its end, the code verifiers are kept in cookies. */
export const isVerifierKey = (key: string): boolean => key.endsWith('-code-verifier')

/** For how long: links and codes are good for no longer, unless configured. */
export const itemLifetimeSeconds = 86_400

/** What a client of a page sends that leaves its session to cookies. Who does not send it gets the plain wire. */
export const cookieModeHeader = 'x-use-cookie'
