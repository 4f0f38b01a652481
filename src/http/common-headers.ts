import type { H3Event } from 'h3'
import { exposedHeaders } from './cors.ts'
import { requestIdHeader } from './request-id.ts'

/**
 * Says in an answer what every answer says: the id of its request, that scripts of any origin may read
 * it, and that it is not to be kept, since most are about one person. A route may say otherwise of that.
 */
export function setCommonHeaders({ headers }: Response, { context }: H3Event): void {
  headers.set(requestIdHeader, context.requestId ?? '')
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  if (context.isWithheld) return
  headers.set('access-control-allow-origin', '*')
  headers.set('access-control-expose-headers', exposedHeaders)
}
