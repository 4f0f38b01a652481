import {
  getResponseHeader,
  getResponseHeaders,
  removeResponseHeader,
  setResponseHeader,
} from '#imports'
import type { ServerEvent } from './server-event.ts'

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
