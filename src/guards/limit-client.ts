import type { AuthContext } from '../deps.ts'
import { overRequestRateLimit } from '../limits/limit-errors.ts'
import { type LimitName, requestLimit } from '../limits/request-limit.ts'

/**
 * Counts a request against its client's limit.
 *
 * @throws AuthError `over_request_rate_limit` (429, with `Retry-After`).
 */
export async function limitClient(
  { config, limits, request }: AuthContext,
  name: LimitName,
): Promise<void> {
  const limit = requestLimit(config.rateLimits, name)
  const clientKey = limit && request.clientKey()
  if (!limit || !clientKey) return
  const taken = await limits.take(`${name}:${clientKey}`, limit)
  if (taken.allowed) return
  request.decided({ kind: 'limit', rule: `${name}_requests` })
  throw overRequestRateLimit(taken.retryAfterSeconds)
}
