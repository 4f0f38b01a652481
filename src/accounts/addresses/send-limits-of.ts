import { findTestCode } from '../../delivery/sms/sms.ts'
import { returnLimits } from '../../limits/return-limits.sql.ts'
import {
  type SendLimits,
  type SendSlot,
  sendLimits,
  targetLimits,
  unlimited,
} from '../../limits/send-limits.ts'
import {
  rejectingLimit,
  requireAllowed,
  type SpentRow,
} from '../../limits/spend-send-limits.sql.ts'
import type { AuthContext } from '../auth-context.ts'
import type { Address } from '../users/addresses.ts'
import { contestHolder } from '../users/competing-accounts.sql.ts'
import type { RequestedAddress } from './request-address.ts'

/**
 * Returns the limits of a message to an address. There are none while messages go to the
 * development mailbox. A test number receives no message and spends no budget.
 *
 * @param slot the kind of request; for a phone it is always `sms`.
 * @param userId the signed-in requester, to whom the interval then applies. Otherwise it applies to
 *   the client and the address.
 */
export function sendLimitsOf(
  ctx: AuthContext,
  slot: SendSlot,
  address: Address,
  userId?: string,
): SendLimits {
  const { config, clock } = ctx
  const { kind, value } = address
  const limits = requestLimitsOf(ctx, slot, address, userId)
  const isTest = kind === 'phone' && findTestCode(config.sms, value, clock.now()) !== null
  return isTest ? { ...limits, budget: null } : limits
}

/**
 * Returns the limits of a request for an address, whose message may be sent to another one. The
 * parameters are those of {@link sendLimitsOf}.
 */
export function requestLimitsOf(
  { config, mailboxTakes, request }: AuthContext,
  slot: SendSlot,
  { kind, value }: Address,
  userId?: string,
): SendLimits {
  if (mailboxTakes[kind]) return unlimited
  const newAddress = slot === 'email-change' ? value : null
  const subject = userId === undefined ? { address: value } : { userId, newAddress }
  return sendLimits(config, kind === 'phone' ? 'sms' : slot, subject, request.clientKey())
}

/**
 * Returns the limits of a message to an address, where the request for it was counted for another
 * address.
 */
export const targetLimitsOf = (
  { config, mailboxTakes }: AuthContext,
  slot: SendSlot,
  { kind, value }: Address,
): SendLimits => (mailboxTakes[kind] ? unlimited : targetLimits(config, slot, value))

/**
 * Rejects a message that exceeds the limits, and records the client that spent the budget.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 *   `Retry-After`).
 */
export function settleSending(
  { request, sendBudgets }: AuthContext,
  spent: SpentRow,
  limits: SendLimits,
  kind: 'email' | 'sms',
): void {
  const limit = rejectingLimit(spent)
  if (limit) request.decided({ kind: 'limit', rule: `${kind}_${limit}` })
  requireAllowed(spent, limits, kind)
  sendBudgets.noteSpent(kind, request.clientKey(), spent, limits.budget)
}

/**
 * Rejects a request for an address that exceeds the limits. If only the limits of all clients
 * reject it, it competes as an accepted one does. A client that is rejected by its own interval has
 * competed already.
 *
 * @throws AuthError `over_email_send_rate_limit`, `over_sms_send_rate_limit` (429, with
 *   `Retry-After`).
 */
export async function settleRequest(
  ctx: AuthContext,
  requested: RequestedAddress,
  spent: SpentRow,
  limits: SendLimits,
  kind: 'email' | 'sms' = requested.kind === 'phone' ? 'sms' : 'email',
): Promise<void> {
  // Clients that cannot be distinguished have one interval together.
  const isOwnWait = spent.is_own_wait && requested.from !== null
  if (!spent.allowed && !isOwnWait) await contestHolder(ctx.sql, requested)
  settleSending(ctx, spent, limits, kind)
}

/**
 * Returns the budget that a request has spent for a message that is not sent. The request stays
 * counted, as do the shares of the client's networks.
 */
export async function returnBudget({ sql }: AuthContext, { budget }: SendLimits): Promise<void> {
  if (budget) await returnLimits(sql, { ...unlimited, budget: { ...budget, shares: [] } })
}
