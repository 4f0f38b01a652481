import type { AuthContext } from '../deps.ts'
import type { SendSlot } from '../limits/send-limits.ts'
import { requireAllowed, type SpentRow, spendLimits } from '../limits/spend-send-limits.sql.ts'
import type { Address } from '../users/addresses.ts'
import type { StoredAccount } from '../users/find-account.sql.ts'
import { findForMessage } from '../users/find-for-message.sql.ts'
import { requireReachable } from './require-reachable.ts'
import { sendLimitsOf } from './send-limits-of.ts'

/**
 * Who has an address that a message is asked for; null when nobody does. Interval and budget are spent
 * before the look-up and either way, so that a refusal tells nothing.
 *
 * @param audience where to look; null for everywhere.
 * @param carriedBy how the message travels, where that is not by this address.
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 *   `Retry-After`), and what {@link requireReachable} throws.
 */
export async function findRecipient(
  ctx: AuthContext,
  slot: SendSlot,
  address: Address,
  audience: string | null,
  carriedBy = address.kind,
): Promise<StoredAccount | null> {
  if (carriedBy === address.kind) requireReachable(ctx, address)
  const limits = sendLimitsOf(ctx, slot, { ...address, kind: carriedBy })
  const spending = spendLimits(limits, ctx.clock.now())
  const { spent, found } = await findForMessage<SpentRow>(ctx.sql, spending, address, audience)
  requireAllowed(spent, limits, carriedBy === 'phone' ? 'sms' : 'email')
  return found
}
