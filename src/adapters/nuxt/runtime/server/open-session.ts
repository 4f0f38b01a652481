import { STATUS_CODES } from 'node:http'
import { AuthError, type RequiredAssurance, type Viewer } from 'latchkey'
import type { CookieJar, RequestSession } from 'latchkey/cookies'
import {
  createError,
  getRequestIP,
  getResponseHeader,
  setCookie,
  setResponseHeader,
} from '#imports'
import type { ServerEvent } from './server-event.ts'
import { sessions } from './sessions.ts'

const opened = new WeakMap<ServerEvent, Promise<RequestSession>>()

/** Whose answers are about somebody, or set cookies. */
const personal = new WeakSet<ServerEvent>()

/**
 * The session of a request, opened once for each event: `sessions.open` of `latchkey/cookies`. An expired session is renewed, and
 * its cookies are set.
 *
 * @throws H3Error with the status of what `sessions.open` throws, and its code in `data`.
 */
export function openSession(event: ServerEvent): Promise<RequestSession> {
  const known = opened.get(event)
  if (known) return known
  const opening = open(event).catch(refuseIn(event))
  opened.set(event, opening)
  return opening
}

/**
 * The user who sent a request, as stored at this moment, in one query.
 *
 * @throws H3Error with the status of what `session.requireUser` throws, and its code in `data`: 401 where nobody is signed in.
 */
export async function requireUser(
  event: ServerEvent,
  options?: RequiredAssurance,
): Promise<Viewer> {
  const session = await openSession(event)
  return session.requireUser(options).catch(refuseIn(event))
}

async function open(event: ServerEvent): Promise<RequestSession> {
  const { req } = event.node
  const session = await sessions().open(req, { jar: jarOf(event), ip: getRequestIP(event) })
  if (session.viewer) personal.add(event)
  // Requests that the server sends itself on behalf of this one take their cookies from here.
  if (req.headers['cookie']) req.headers['cookie'] = session.cookieHeader()
  keepPrivate(event)
  return session
}

const jarOf = (event: ServerEvent): CookieJar => ({
  set: (name, value, attributes) => {
    setCookie(event, name, value, attributes)
    personal.add(event)
    keepPrivate(event)
  },
})

/** Nobody else gets an answer that is about somebody: neither from Nitro's cache nor from one on the way. */
export function keepPrivate(event: ServerEvent): void {
  if (!personal.has(event)) return
  const said = String(getResponseHeader(event, 'cache-control') ?? '')
  if (!/\b(?:private|no-store)\b/i.test(said))
    setResponseHeader(event, 'cache-control', 'private, no-store')
}

/** What is thrown says itself how it is to be answered; anything else is a fault. */
const refuseIn =
  (event: ServerEvent) =>
  (error: unknown): never => {
    if (!(error instanceof AuthError)) throw error
    const { status: statusCode, code, message, details } = error
    const { retryAfterSeconds } = details
    if (retryAfterSeconds !== undefined)
      setResponseHeader(event, 'retry-after', String(retryAfterSeconds))
    const statusMessage = STATUS_CODES[statusCode] ?? code
    throw createError({
      statusCode,
      statusMessage,
      message,
      data: { code, ...details },
      cause: error,
    })
  }
