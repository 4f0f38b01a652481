import type { AuthContext } from '../deps.ts'
import type { Account } from '../users/account.ts'
import type { Address } from '../users/addresses.ts'
import { accountOfNewcomer } from './accounts-by-address.ts'

/** The account of somebody who is invited to an address that nobody has. They set a password later. */
export function invitedAccount(
  ctx: AuthContext,
  address: Address,
  data: Record<string, unknown>,
): Account {
  const now = ctx.clock.now()
  const account = accountOfNewcomer(ctx, { address, data, confirmed: false, now })
  return { ...account, userMetadata: data, invitedAt: now, confirmationSentAt: now }
}
