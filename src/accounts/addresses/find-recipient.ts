import type { SendSlot } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { findForMessage } from '../users/find-for-message.sql.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { isUnclaimed } from '../users/registration.ts'
import { requireNamedAudience } from '../users/require-named-audience.ts'
import { isOpenedBy } from '../users/user.ts'
import { requireDeliverable, requireReachable } from './require-reachable.ts'
import { sendLimitsOf } from './send-limits-of.ts'
import { settleSending } from './settle-sending.ts'

/**
 * Whom a link or code for an address lets in; null when nobody. Interval and budget are spent before the
 * look-up and either way, so that a refusal tells nothing.
 *
 * @param carriedBy how the message travels, where that is not by this address.
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 *   `Retry-After`), `validation_failed` (400) for an audience that nobody named, and what
 *   {@link requireReachable} and {@link requireDeliverable} throw.
 */
export async function findRecipient(
  ctx: AuthContext,
  slot: SendSlot,
  address: Address,
  carriedBy = address.kind,
): Promise<StoredUser | null> {
  const holder = await findHolder(ctx, slot, address, carriedBy)
  return holder && isRecipient(ctx, holder, address) ? holder : null
}

/** Who has an address, in whatever audience; null when nobody does. What it spends and throws is the same. */
export async function findHolder(
  ctx: AuthContext,
  slot: SendSlot,
  address: Address,
  carriedBy = address.kind,
): Promise<StoredUser | null> {
  await requireNamedAudience(ctx)
  if (carriedBy === address.kind) {
    requireReachable(ctx, address)
    await requireDeliverable(ctx, address)
  }
  const limits = sendLimitsOf(ctx, slot, { ...address, kind: carriedBy })
  const spending = spendLimits(limits, ctx.clock.now())
  const { spent, found } = await findForMessage(ctx.sql, spending, address)
  settleSending(ctx, spent, limits, carriedBy === 'phone' ? 'sms' : 'email')
  return found
}

/**
 * Whether a link or code for the address lets in whoever holds it. Nobody keeps an address from its owner by
 * asking for it in another audience: who only registered there, and has proved nothing, is found from all.
 */
export const isRecipient = (
  { request }: AuthContext,
  holder: StoredUser,
  { kind }: Address,
): boolean =>
  isOpenedBy(holder.user, kind) &&
  (holder.user.audience === request.audience || isUnclaimed(holder))
