import type { H3EventContext } from 'h3'
import type { Answer } from './answer.ts'
import { apiVersionHeader } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

/** What scripts may read of every answer. */
const exposedHeaders = ['X-Total-Count', 'Link', apiVersionHeader, requestIdHeader].join(',')

/**
 * Sets the headers of every response: the id of the request; that it is not stored, since most are about one
 * person, unless a route specifies otherwise; that its media type is not to be guessed; and that scripts of any
 * origin may read it.
 */
export function setCommonHeaders(
  { headers }: Answer,
  { requestId, isWithheld }: H3EventContext,
): void {
  headers[requestIdHeader] = requestId ?? ''
  headers['cache-control'] ??= 'no-store'
  headers['x-content-type-options'] = 'nosniff'
  if (isWithheld) return
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = exposedHeaders
}
