import type { H3Event } from 'h3'
import type { RequestedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { readQuery } from '../../platform/http/read-request.ts'

/**
 * Returns the redirect target of a request, from the header `redirect_to`, else the parameter of
 * that name; and the referrer. Neither is validated yet.
 *
 * @throws AuthError `validation_failed` when the parameter is repeated.
 */
export function readRedirectTo(event: H3Event): RequestedRedirect {
  const parameter = readQuery(event, 'redirect_to')
  const { headers } = event.req
  return {
    target: headers.get('redirect_to') || parameter,
    referer: headers.get('referer') || undefined,
  }
}
