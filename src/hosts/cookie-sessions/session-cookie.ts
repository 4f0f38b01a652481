import { sha256Hex } from '../../platform/kit/digest.ts'
import { stateCookieName } from './cookie-names.ts'
import type { CookieTerms } from './cookie-terms.ts'

/** The contents of a session's cookies. */
export interface StoredSession {
  sessionId: string
  /** Empty if a part is missing: the session can then be renewed. */
  accessToken: string
  refreshToken: string
}

/** The attributes of a cookie for a host's jar. `maxAge` is in seconds; 0 removes the cookie. */
export interface CookieAttributes {
  path: '/'
  secure: boolean
  httpOnly: boolean
  sameSite: 'lax'
  maxAge: number
}

export interface CookieChange {
  name: string
  value: string
  attributes: CookieAttributes
}

/** Each name with its value, or with all values if it was repeated. */
export type SentCookies = Readonly<Record<string, string | readonly string[] | undefined>>

/** Browsers store 4,096 bytes of name and value. @see RFC 6265bis §5.6 */
const chunkLength = 3_800

/** The number of chunks, the session, the refresh token, and the beginning of the access token. */
const form =
  /^(?<count>[1-9])\.(?<sessionId>[0-9a-f-]{36})\.(?<refreshToken>[\w-]{1,256})\.(?<begin>.*)$/

const nameOf = ({ prefix, name }: CookieTerms): string => `${prefix}${name}-session`

const chunkName = (terms: CookieTerms, index: number): string =>
  index === 0 ? nameOf(terms) : `${nameOf(terms)}.${index}`

/**
 * Reads the session that a browser sent; null without one.
 *
 * A repeated name means that another host set one of the cookies. Which one is unknown, so neither
 * is used.
 */
export function readSessionCookie(terms: CookieTerms, cookies: SentCookies): StoredSession | null {
  const first = cookies[chunkName(terms, 0)]
  const found = typeof first === 'string' ? form.exec(first)?.groups : undefined
  if (!found) return null
  const { count = '', sessionId = '', refreshToken = '', begin = '' } = found
  const rest = Array.from(
    { length: Number(count) - 1 },
    (_, at) => cookies[chunkName(terms, at + 1)],
  )
  const isWhole = rest.every((chunk) => typeof chunk === 'string')
  return { sessionId, refreshToken, accessToken: isWhole ? [begin, ...rest].join('') : '' }
}

/** Returns the cookies of a session, and the removal of further chunks of a longer one. */
export function writeSessionCookie(
  terms: CookieTerms,
  session: StoredSession,
  sent: SentCookies,
): CookieChange[] {
  const { sessionId, refreshToken, accessToken } = session
  const text = `${sessionId}.${refreshToken}.${accessToken}`
  const count = Math.ceil((text.length + 2) / chunkLength)
  const whole = `${count}.${text}`
  const chunks = Array.from({ length: count }, (_, index) => ({
    name: chunkName(terms, index),
    value: whole.slice(index * chunkLength, (index + 1) * chunkLength),
    attributes: attributesOf(terms, { httpOnly: true }),
  }))
  const stale = namesSent(terms, sent).filter((name) =>
    chunks.every((chunk) => chunk.name !== name),
  )
  // A truncated digest of a random value: it distinguishes renewals and grants no access.
  const state = {
    name: stateCookieName(terms),
    value: sha256Hex(refreshToken).slice(0, 16),
    attributes: attributesOf(terms, { httpOnly: false }),
  }
  return [...chunks, state, ...stale.map((name) => removalOf(terms, name))]
}

/** Returns the removal of all cookies of a session. */
export const removeSessionCookie = (terms: CookieTerms, sent: SentCookies): CookieChange[] =>
  [
    ...namesSent(terms, sent),
    ...(sent[stateCookieName(terms)] ? [stateCookieName(terms)] : []),
  ].map((name) => removalOf(terms, name))

const namesSent = (terms: CookieTerms, sent: SentCookies): string[] =>
  Object.keys(sent).filter((name) => name === nameOf(terms) || name.startsWith(`${nameOf(terms)}.`))

export const attributesOf = (
  { prefix, lifetimeSeconds }: Pick<CookieTerms, 'prefix' | 'lifetimeSeconds'>,
  { httpOnly }: { httpOnly: boolean },
): CookieAttributes => ({
  path: '/',
  secure: prefix !== '',
  httpOnly,
  sameSite: 'lax',
  maxAge: lifetimeSeconds,
})

export const removalOf = (terms: CookieTerms, name: string): CookieChange => ({
  name,
  value: '',
  attributes: { ...attributesOf(terms, { httpOnly: true }), maxAge: 0 },
})
