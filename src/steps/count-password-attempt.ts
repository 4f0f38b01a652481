import type { AuthContext, RequestFacts } from '../deps.ts'
import { clientNetwork, isPublic, readIpAddress } from '../kit/ip-address.ts'
import { overRequestRateLimit } from '../limits/limit-errors.ts'
import { attemptKeys, freeFailures, maxWaitSeconds } from '../limits/password-attempts.ts'
import type { Address } from '../users/addresses.ts'
import { type FoundForSignIn, findForSignIn } from '../users/find-for-sign-in.sql.ts'
import { countGuess } from './count-guess.ts'

/** How long a place counts as usual after a sign-in from there. */
const knownForMs = 90 * 24 * 60 * 60 * 1000

/**
 * Counts a password that is tried for an address, and finds who has that. It counts before anything is
 * compared, so that parallel attempts cannot outrun the count.
 *
 * @param audience where to look.
 * @throws AuthError `over_request_rate_limit` (429) after too many wrong ones in a row.
 */
export async function countPasswordAttempt(
  ctx: AuthContext,
  address: Address,
  audience: string,
): Promise<FoundForSignIn> {
  const now = ctx.clock.now()
  if (!(await countGuess(ctx, 'password', address.value))) throw overRequestRateLimit(60)
  const network = ownNetwork(ctx.request)
  const looked = await findForSignIn(ctx.sql, {
    ...{ address, audience, network, now, freeFailures, maxWaitSeconds },
    attemptId: ctx.random.uuid(),
    keys: attemptKeys(audience, address, network),
    knownSince: new Date(now.getTime() - knownForMs),
  })
  if (looked.waitsUntil === null) return looked
  const waitMs = looked.waitsUntil.getTime() - now.getTime()
  throw overRequestRateLimit(Math.max(1, Math.ceil(waitMs / 1000)))
}

/**
 * The network that a client can be known at; null where others share its address. A private one is that
 * of a proxy, unless the operator declared a header that holds it; and whose header holds something else
 * than an address is known by the proxy's address alone, however public.
 */
function ownNetwork({ ip, clientKey }: RequestFacts): string | null {
  const address = readIpAddress(ip ?? '')
  if (!address) return null
  const network = clientNetwork(address)
  const key = clientKey()
  const isOwn = key === null ? isPublic(address) : key === network
  return isOwn ? network : null
}
