import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import { isFromCookieSessions } from '../../platform/http/request-options.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Whether a limit per client did not count the request: its peer is private. */
    isUncounted?: boolean
  }
}

/** Headers by which proxies commonly identify clients. */
const proxyHeaders = [
  'x-forwarded-for',
  'x-real-ip',
  'forwarded',
  'cf-connecting-ip',
  'true-client-ip',
  'x-client-ip',
]

/**
 * Logs two mistakes of a deployment once each. The declared header of a proxy is missing, so that
 * its clients are not limited. Clients of cookie sessions reach the service itself, which returns
 * refresh tokens to their scripts.
 */
export function watchClientHeaders({
  config: { rateLimits, development },
  logger,
}: Pick<Deps, 'config' | 'logger'>): (request: ServiceRequest, context: H3EventContext) => void {
  const { header } = rateLimits
  let isProxyLogged = header === null || development
  let isCookieLogged = false
  return (request, { isUncounted }) => {
    const { headers } = request
    if (!isCookieLogged && headers.has('x-use-cookie') && !isFromCookieSessions(request)) {
      isCookieLogged = true
      logger.warn(
        {},
        'a client of cookie sessions received a response without cookies: its request with x-use-cookie did not pass ' +
          'createCookieSessions. Mount the sessions in place of the service, as in toExpress(sessions)',
      )
    }
    if (isProxyLogged || !isUncounted) return
    isProxyLogged = true
    // Values are not logged, since they contain addresses.
    const present = proxyHeaders.filter((name) => headers.has(name))
    logger.warn(
      { setting: 'rateLimits.header', header, present },
      `a request from a private address has no header ${header}, so it was not limited per client; it has ` +
        `${present.join(', ') || 'no other header of a proxy'}. If it passed your proxy, declare the header that the proxy sets`,
    )
  }
}
