import { giveBackLimits } from '../../limits/give-back-limits.sql.ts'
import { type SendLimits, unlimited } from '../../limits/send-limits.ts'
import { refusingLimit, requireAllowed, type SpentRow } from '../../limits/spend-send-limits.sql.ts'
import type { AuthContext } from '../auth-context.ts'

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
  const limit = refusingLimit(spent)
  if (limit) request.decided({ kind: 'limit', rule: `${kind}_${limit}` })
  requireAllowed(spent, limits, kind)
  sendBudgets.noteSpent(kind, request.clientKey(), spent, limits.budget)
}

/**
 * Returns the budget that a request has spent for a message that is not sent. The request stays
 * counted, as do the shares of the client's networks.
 */
export async function returnBudget({ sql }: AuthContext, { budget }: SendLimits): Promise<void> {
  if (budget) await giveBackLimits(sql, { ...unlimited, budget: { ...budget, shares: [] } })
}
