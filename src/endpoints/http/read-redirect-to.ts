import type { H3Event } from 'h3'
import type { RedirectWish } from '../../limits/redirects/allowed-redirect.ts'
import { readQuery } from '../../platform/http/read-request.ts'

/**
 * Where a request asks to be sent: its header `redirect_to`, else its parameter of that name; and the
 * page that it came from. Nothing of it is checked yet.
 *
 * @throws AuthError `validation_failed` when the parameter is repeated.
 */
export function readRedirectTo(event: H3Event): RedirectWish {
  const parameter = readQuery(event, 'redirect_to')
  const { headers } = event.req
  return {
    target: headers.get('redirect_to') || parameter,
    referer: headers.get('referer') || undefined,
  }
}
