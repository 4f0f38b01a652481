import { withLookupSemaphore } from '../../limits/lookup-semaphore.ts'
import type { SendLimits, SendSlot } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { findForMessage } from '../users/find-for-message.sql.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { requireNamedAudience } from '../users/require-named-audience.sql.ts'
import { type AddressRequestKind, isInReach } from '../users/sign-up-origin.ts'
import { isOpenedBy } from '../users/user.ts'
import { requestAddress } from './request-address.ts'
import { requireDeliverable, requireReachable } from './require-reachable.ts'
import { sendLimitsOf, settleRequest } from './send-limits-of.ts'

/** A request for a message, whose address is looked up. */
export interface AddressLook {
  address: Address
  by: AddressRequestKind
  /** The purpose that its limits are counted for. */
  slot: SendSlot
  /** The channel of the message, where it is not that of the address. */
  carriedBy?: Address['kind']
  /** The limits of the request. Default: the limits of a message to the address. */
  limits?: SendLimits
}

/**
 * Returns the user whom a link or code for an address signs in; null without one. Interval and
 * budget are spent before the look-up and in either case, so that a rejection does not reveal
 * whether the address is known.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 *   `Retry-After`), `validation_failed` (400) for an unknown audience, and the errors of
 *   {@link requireReachable} and {@link requireDeliverable}.
 */
export async function findRecipient(
  ctx: AuthContext,
  look: AddressLook,
): Promise<StoredUser | null> {
  const stored = await findAddressUser(ctx, look)
  return stored && isRecipient(ctx, stored, look.address) ? stored : null
}

/**
 * Returns the user with an address, in any audience; null without one. It spends the same limits
 * and throws the same errors.
 */
export async function findAddressUser(
  ctx: AuthContext,
  { address, by, slot, carriedBy = address.kind, limits: stated }: AddressLook,
): Promise<StoredUser | null> {
  await requireNamedAudience(ctx)
  if (carriedBy === address.kind) {
    requireReachable(ctx, address)
    await requireDeliverable(ctx, address)
  }
  const limits = stated ?? sendLimitsOf(ctx, slot, { ...address, kind: carriedBy })
  const spending = spendLimits(ctx, limits)
  const { spent, found } = await withLookupSemaphore(ctx, 'message', address.value, () =>
    findForMessage(ctx.sql, spending, address),
  )
  const requested = requestAddress(ctx, address, by)
  await settleRequest(ctx, requested, spent, limits, carriedBy === 'phone' ? 'sms' : 'email')
  return found
}

/**
 * Returns whether a link or code for the address signs this user in, and the audience of the request
 * reaches the account.
 */
export const isRecipient = (
  { request }: AuthContext,
  stored: StoredUser,
  { kind }: Address,
): boolean => isOpenedBy(stored.user, kind) && isInReach(stored, request.audience)
