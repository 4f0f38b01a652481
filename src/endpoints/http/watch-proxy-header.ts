import type { H3EventContext } from 'h3'
import type { Deps } from '../../accounts/auth-context.ts'
import type { ServiceRequest } from '../../platform/http/service-request.ts'
import type { LimitOutcome } from './limit-client.ts'

declare module 'h3' {
  interface H3EventContext {
    /** Absent where no endpoint was reached. */
    limited?: LimitOutcome
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
 * Logs one warning when a request of a private peer lacks the declared header of a proxy, so that
 * its client is not limited.
 */
export function watchProxyHeader({
  config: { rateLimits, development },
  logger,
}: Pick<Deps, 'config' | 'logger'>): (request: ServiceRequest, context: H3EventContext) => void {
  const { header } = rateLimits
  let isLogged = header === null || development
  return ({ headers }, { limited }) => {
    if (isLogged || limited !== 'privatePeer') return
    isLogged = true
    // Values are not logged, since they contain addresses.
    const present = proxyHeaders.filter((name) => headers.has(name))
    logger.warn(
      { setting: 'rateLimits.header', header, present },
      `a request from a private address has no header ${header}, so it was not limited per client; it has ` +
        `${present.join(', ') || 'no other header of a proxy'}. If it passed your proxy, declare the header that the proxy sets`,
    )
  }
}
