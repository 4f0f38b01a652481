import { isFromCookieSessions } from '../../platform/http/request-options.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'
import type { Logger } from '../../platform/observability/logger.ts'

/** Endpoints that return refresh tokens. */
const signIns = /\/(?:signup|token|verify)$/

/**
 * Logs one warning when a client of cookie sessions reaches the service itself, which returns
 * refresh tokens to its scripts.
 */
export function watchCookieClients(
  logger: Logger,
): (request: ServiceRequest, answer: { status: number }) => void {
  let isLogged = false
  return (request, { status }) => {
    if (isLogged || !request.headers.has('x-use-cookie') || isFromCookieSessions(request)) return
    const isSignedIn = status === 200 && signIns.test(URL.parse(request.url)?.pathname ?? '')
    if (!isSignedIn) return
    isLogged = true
    logger.warn(
      {},
      'a client of cookie sessions received a response without cookies: its request with x-use-cookie did not pass ' +
        'createCookieSessions. Mount the sessions in place of the service, as in toExpress(sessions)',
    )
  }
}
