import type { AuthContext } from '../../../accounts/auth-context.ts'
import type { Caller } from '../../../accounts/callers/authenticate-caller.ts'
import { overRequestRateLimit } from '../../../limits/limit-errors.ts'
import { takeFromBucket } from '../../../limits/take-from-bucket.sql.ts'
import { userCodeKey, userCodeLimit } from '../../../limits/user-code-limit.ts'
import { validationFailed } from '../../../platform/errors/request-errors.ts'
import { requireDeviceFlow } from '../protocol/oauth-errors.ts'
import { hashesOfUserCode } from './device-codes.ts'

/**
 * Counts an attempt to enter the code of a device, and returns the hashes under which the code may
 * be stored. It is counted before the code is compared, also in a transaction of the host.
 *
 * @throws AuthError `feature_disabled` (404), `validation_failed` (400), `over_request_rate_limit`
 *   (429).
 * @see RFC 8628 §5.1
 */
export async function requireUserCode(
  ctx: AuthContext,
  { user }: Caller,
  userCode: string | undefined,
): Promise<string[]> {
  requireDeviceFlow(ctx)
  if (!userCode) throw validationFailed('user_code: is required')
  const key = userCodeKey(user.id)
  const now = ctx.databaseNow()
  if (!(await takeFromBucket(ctx.database.sql, key, userCodeLimit, now))) {
    throw overRequestRateLimit(Math.ceil(1 / userCodeLimit.refillPerSecond))
  }
  return hashesOfUserCode(ctx, userCode)
}
