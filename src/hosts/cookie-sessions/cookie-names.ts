// Names shared by server and page. Nothing of Node is imported here, since browsers load it.

/**
 * The prefix over TLS: no other host, path or page without TLS can set such a cookie. @see RFC
 * 6265bis §4.1.3.2
 */
export const hostPrefix = '__Host-'

export const defaultName = 'latchkey'

export interface CookieNaming {
  prefix: typeof hostPrefix | ''
  name: string
}

/**
 * Returns the name of the cookie that notifies scripts of a changed session, and contains nothing
 * else.
 */
export const stateCookieName = ({ prefix, name }: CookieNaming): string => `${prefix}${name}-state`

/**
 * Reports whether a client's item is a code verifier. Of a client's data during a sign-in, only
 * these are stored in cookies.
 */
export const isVerifierKey = (key: string): boolean => key.endsWith('-code-verifier')

/** The lifetime of these cookies, which is the default lifetime of links and codes. */
export const itemLifetimeSeconds = 86_400

/**
 * The request header of clients whose session is in cookies. Requests without it use the plain
 * wire.
 */
export const cookieModeHeader = 'x-use-cookie'
