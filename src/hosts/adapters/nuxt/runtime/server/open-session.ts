import { STATUS_CODES } from 'node:http'
import { AuthError, type RequiredAssurance, type Viewer } from 'latchkey'
import type { CookieJar, RequestSession } from 'latchkey/cookies'
import {
  createError,
  getRequestIP,
  getResponseHeader,
  getResponseHeaders,
  removeResponseHeader,
  setCookie,
  setResponseHeader,
} from '#imports'
import { outerOf, type ServerEvent } from './server-event.ts'
import { sessions } from './sessions.ts'

const opened = new WeakMap<ServerEvent, Promise<RequestSession>>()

/**
 * Opens the session of a request once per event: `sessions.open` of `latchkey/cookies`. An expired
 * session is renewed, and its cookies are set.
 *
 * @throws H3Error with the status of the error of `sessions.open`, and its code in `data`.
 */
export function openSession(event: ServerEvent): Promise<RequestSession> {
  const known = opened.get(event)
  if (known) return known
  const opening = open(event).catch(toH3Error(event))
  opened.set(event, opening)
  return opening
}

/**
 * Returns the user of a request, as stored now, in one query. Without `aal`, users with a verified
 * second factor need it in this session, as in `session.requireUser`.
 *
 * @throws H3Error with the status of the error of `session.requireUser`, and its code in `data`:
 *   401 without a session, 403 before the second factor.
 */
export async function requireUser(
  event: ServerEvent,
  options?: RequiredAssurance,
): Promise<Viewer> {
  const session = await openSession(event)
  return session.requireUser(options).catch(toH3Error(event))
}

async function open(event: ServerEvent): Promise<RequestSession> {
  const { req } = event.node
  const all = withOuter(event)
  const ip = getRequestIP(all.at(-1) ?? event)
  const session = await sessions().open(req, { jar: jarOf(all), ip })
  if (session.viewer) for (const one of all) keepPrivate(one)
  // Requests that the server sends to itself on behalf of this one copy their cookies from here.
  for (const { node } of all)
    if (node.req.headers['cookie']) node.req.headers['cookie'] = session.cookieHeader()
  return session
}

/**
 * Returns the event and those that caused it. The response to a request of the server itself does
 * not reach the browser: cookies must be set on the browser's request.
 */
function withOuter(event: ServerEvent): ServerEvent[] {
  const outer = outerOf(event)
  return outer ? [event, ...withOuter(outer)] : [event]
}

const jarOf = (events: readonly ServerEvent[]): CookieJar => ({
  set: (name, value, attributes) => {
    for (const event of events.filter(({ node }) => !node.res.headersSent)) {
      setCookie(event, name, value, attributes)
      keepPrivate(event)
    }
  },
})

/** Converts an AuthError into an H3Error; other errors are faults. */
const toH3Error =
  (event: ServerEvent) =>
  (error: unknown): never => {
    if (!(error instanceof AuthError)) throw error
    // A cache would send the rejection to signed-in users as well.
    for (const one of withOuter(event)) keepPrivate(one)
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

/** Events whose responses depend on the user, or set cookies. */
const personal = new WeakSet<ServerEvent>()

/** Headers that some caches use in place of `Cache-Control`. @see RFC 9213 §2.1 */
const targeted = /cdn-cache-control$|^surrogate-control$|^x-accel-expires$/i

/**
 * Prevents that other users receive the response, from Nitro's cache or another one, whatever the
 * route rules.
 */
export function keepPrivate(event: ServerEvent): void {
  personal.add(event)
  setPrivate(event)
}

/** Sets the header again, since the route may have changed headers. */
export function setPrivate(event: ServerEvent): void {
  if (!personal.has(event) || event.node.res.headersSent) return
  for (const name of Object.keys(getResponseHeaders(event)))
    if (targeted.test(name)) removeResponseHeader(event, name)
  const cacheControl = String(getResponseHeader(event, 'cache-control') ?? '')
  if (!/\b(?:private|no-store)\b/i.test(cacheControl))
    setResponseHeader(event, 'cache-control', 'private, no-store')
}
