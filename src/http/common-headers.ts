import type { H3EventContext } from 'h3'
import type { Answer } from './answer.ts'
import { apiVersionHeader } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

/** What scripts may read of every answer. */
const exposedHeaders = ['X-Total-Count', 'Link', apiVersionHeader, requestIdHeader].join(',')

/**
 * Gives an answer what every answer says: the id of its request, that it is not to be kept, since most
 * are about one person, and that scripts of any origin may read it. A route may say otherwise of the
 * second.
 */
export function setCommonHeaders(
  { headers }: Answer,
  { requestId, isWithheld }: H3EventContext,
): void {
  headers[requestIdHeader] = requestId ?? ''
  headers['cache-control'] ??= 'no-store'
  if (isWithheld) return
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = exposedHeaders
}
