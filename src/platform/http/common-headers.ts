import type { H3EventContext } from 'h3'
import type { Answer } from './answer.ts'
import { apiVersionHeader } from './present-error.ts'
import { requestIdHeader } from './request-id.ts'

/** The response headers that scripts may read. */
const exposedHeaders = ['X-Total-Count', 'Link', apiVersionHeader, requestIdHeader].join(',')

/**
 * Sets the headers of every response. It has the request's id, is not stored unless a route
 * specifies otherwise, since most responses concern one user, its media type must not be guessed,
 * and scripts of any origin may read it.
 */
export function setCommonHeaders(
  { headers }: Pick<Answer, 'headers'>,
  { requestId, isWithheld }: Pick<H3EventContext, 'requestId' | 'isWithheld'>,
): void {
  headers[requestIdHeader] = requestId ?? ''
  headers['cache-control'] ??= 'no-store'
  headers['x-content-type-options'] = 'nosniff'
  if (isWithheld) return
  headers['access-control-allow-origin'] = '*'
  headers['access-control-expose-headers'] = exposedHeaders
}
