import {
  getResponseHeader,
  getResponseHeaders,
  removeResponseHeader,
  setResponseHeader,
} from '#imports'
import type { ServerEvent } from './server-event.ts'

/** Whose answers depend on who asks, or set cookies. */
const personal = new WeakSet<ServerEvent>()

/** What some caches obey in place of `Cache-Control`. @see RFC 9213 §2.1 */
const targeted = /cdn-cache-control$|^surrogate-control$|^x-accel-expires$/i

/** Nobody else gets the answer: neither from Nitro's cache nor from one on the way, whatever a route rule says. */
export function keepPrivate(event: ServerEvent): void {
  personal.add(event)
  sayPrivate(event)
}

/** Says so once more, since what answered may have set headers. */
export function sayPrivate(event: ServerEvent): void {
  if (!personal.has(event) || event.node.res.headersSent) return
  for (const name of Object.keys(getResponseHeaders(event)))
    if (targeted.test(name)) removeResponseHeader(event, name)
  const said = String(getResponseHeader(event, 'cache-control') ?? '')
  if (!/\b(?:private|no-store)\b/i.test(said))
    setResponseHeader(event, 'cache-control', 'private, no-store')
}
