import { AuthError } from '../../platform/errors/auth-error.ts'
import { type CookiePair, cookiePairs } from '../../platform/http/cookie-pairs.ts'
import { type HeadersLike, readHeader } from '../../platform/http/request-like.ts'
import type { CookieJar } from '../cookie-sessions/cookie-jar.ts'
import type { CookieSessions } from '../cookie-sessions/cookie-sessions.ts'
import type { RequestSession } from '../cookie-sessions/request-session.ts'
import type { ReadingApi } from '../cookie-sessions/session-api.ts'
import { type Lazy, unwrap } from './lazy.ts'

/** The functions of `next/headers` for the current request: `{ cookies, headers }`. */
export interface NextRequestState {
  cookies(): Promise<NextCookies>
  headers(): Promise<HeadersLike>
}

/** The part of Next's cookies that is used. */
export interface NextCookies extends CookieJar {
  getAll(): readonly { readonly name: string; readonly value: string }[]
}

/** The session of a request, for code that cannot set cookies. */
export interface ReadableSession
  extends Pick<RequestSession, 'viewer' | 'requireUser' | 'forPage'> {
  /** The methods of `auth.api` that only read, for this session: `session.api.listSessions()`. */
  readonly api: ReadingApi
}

/**
 * Reads the session of the request that a server component renders. It is not renewed, since
 * components cannot set cookies: `renewSession` has done so before.
 *
 * Rendering cannot reject a request, so one with an invalid bearer token has no user.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @example
 * const getSession = cache(() => readSession(sessions, { cookies, headers }))
 */
export async function readSession(
  sessions: Lazy<CookieSessions>,
  next: NextRequestState,
): Promise<ReadableSession> {
  const { headers } = await readState(next)
  // Rendering changes nothing, so the origin of the request is not checked.
  const read = (given: HeadersLike) =>
    unwrap(sessions).open({ method: 'GET', headers: given }, { renew: false })
  const session = await read(headers).catch((error) => {
    if (isBadBearer(error)) return read({})
    throw error
  })
  return readableOf(session)
}

/**
 * Opens the session of the request that runs a server action, to sign in and out there.
 *
 * @param next `cookies` and `headers` of `next/headers`.
 * @throws AuthError as `sessions.open`: `origin_not_allowed` (403) if no page of the application
 *   sent the form.
 * @example
 * const { api } = await openSession(sessions, { cookies, headers })
 * await api.signInWithPassword({ email, password })
 */
export async function openSession(
  sessions: Lazy<CookieSessions>,
  next: NextRequestState,
): Promise<RequestSession> {
  const { headers, jar } = await readState(next)
  return unwrap(sessions).open({ method: 'POST', headers }, { jar })
}

export const isBadBearer = (error: unknown): boolean =>
  error instanceof AuthError && error.code === 'bad_jwt'

export const readableOf = (session: RequestSession): ReadableSession => ({
  get viewer() {
    return session.viewer
  },
  get api() {
    return session.api
  },
  requireUser: session.requireUser,
  forPage: session.forPage,
})

async function readState(
  next: NextRequestState,
): Promise<{ headers: HeadersLike; jar: NextCookies }> {
  const [given, jar] = await Promise.all([next.headers(), next.cookies()])
  const cookie = currentCookies(readHeader({ headers: given }, 'cookie') ?? '', jar)
  const get = (name: string) => (name === 'cookie' ? cookie : readHeader({ headers: given }, name))
  return { headers: { get }, jar }
}

/**
 * Returns the `Cookie` header after an action; `headers()` still contains the original. Unchanged
 * cookies remain as sent, since a repeated name is rejected.
 */
function currentCookies(header: string, jar: NextCookies): string {
  const pairs = cookiePairs(header).map(readPair)
  const sent = new Map(pairs.map(({ name, value }) => [name, value]))
  const current = new Map(jar.getAll().map(({ name, value }) => [name, value]))
  const unchanged = pairs.filter(({ name }) => sent.get(name) === current.get(name))
  const changed = [...current].filter(([name, value]) => value !== sent.get(name))
  return [
    ...unchanged.map(({ text }) => text),
    ...changed.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
  ].join('; ')
}

/** Parses a pair like Next. */
function readPair({ text }: CookiePair): { text: string; name: string; value: string | null } {
  const [name = '', ...rest] = text.split('=')
  try {
    return { text, name, value: decodeURIComponent(rest.join('=')) }
  } catch {
    return { text, name, value: null }
  }
}
