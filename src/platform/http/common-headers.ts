import type { H3EventContext } from 'h3'
import type { Random } from '../kit/random.ts'
import type { Answer } from './answer.ts'
import { apiVersionHeader } from './present-error.ts'

/** The header with the request's id in every response. */
export const requestIdHeader = 'x-request-id'

const form = /^[\w.:+/=@-]{1,128}$/

/** Reports whether a text can be the id of a request. */
export const isRequestId = (text: string): boolean => form.test(text)

/**
 * Returns the id of a request: the value of the operator's header if it is valid, else a new one.
 */
export function readRequestId(
  readHeader: (name: string) => string | null,
  header: string | null,
  random: Random,
): string {
  const inherited = header ? readHeader(header) : null
  return inherited && isRequestId(inherited) ? inherited : random.uuid()
}

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
