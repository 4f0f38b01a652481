import type { AuthContext } from '../../accounts/auth-context.ts'
import { overRequestRateLimit } from '../../limits/limit-errors.ts'
import type { CountedLimit } from '../../limits/limit-store.ts'
import { type LimitName, type RequestLimit, requestLimit } from '../../limits/request-limit.ts'
import { networksOf } from '../../platform/kit/client-networks.ts'

/**
 * Whether a request was counted: not where the limit is off, the peer is unknown, or has a private
 * address.
 */
export type LimitOutcome = 'counted' | 'off' | 'unknownPeer' | 'privatePeer'

/**
 * Counts a request against the limit of its client, and of the wider networks that the client
 * belongs to.
 *
 * @throws AuthError `over_request_rate_limit` (429, with `Retry-After`).
 */
export const limitClient = (ctx: AuthContext, name: LimitName): Promise<LimitOutcome> =>
  take(ctx, name, requestLimit(ctx.config.rateLimits, name))

/**
 * Counts a request of an endpoint whose body decides which of several limits holds, against all of
 * them together. The limit itself is counted once the body is parsed.
 *
 * @throws AuthError `over_request_rate_limit` (429, with `Retry-After`).
 */
export async function limitClientBeforeBody(
  ctx: AuthContext,
  names: readonly LimitName[],
): Promise<LimitOutcome> {
  const limits = names.map((name) => requestLimit(ctx.config.rateLimits, name))
  const together = { burst: 0, refillPerSecond: 0 }
  for (const limit of limits) {
    if (limit === null) return 'off'
    together.burst += limit.burst
    together.refillPerSecond += limit.refillPerSecond
  }
  return take(ctx, names.join('+'), together)
}

async function take(
  { limits, request }: AuthContext,
  name: string,
  limit: RequestLimit | null,
): Promise<LimitOutcome> {
  if (!limit) return 'off'
  const clientKey = request.clientKey()
  if (!clientKey) return request.ip === null ? 'unknownPeer' : 'privatePeer'
  const taken = await limits.take(limitsOfClient(name, clientKey, limit))
  if (taken.allowed) return 'counted'
  request.decided({ kind: 'limit', rule: `${name}_requests` })
  throw overRequestRateLimit(taken.retryAfterSeconds)
}

/**
 * The limits of the client's networks, the widest first. A network that one subscriber cannot have
 * has none.
 */
const limitsOfClient = (name: string, client: string, limit: RequestLimit): CountedLimit[] =>
  networksOf(client)
    .flatMap(({ key, limitFactor }) =>
      limitFactor === null ? [] : [{ key: `${name}:${key}`, limit: multiply(limit, limitFactor) }],
    )
    .reverse()

const multiply = ({ burst, refillPerSecond }: RequestLimit, factor: number): RequestLimit => ({
  burst: burst * factor,
  refillPerSecond: refillPerSecond * factor,
})
