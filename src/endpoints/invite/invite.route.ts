import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { requireDeliverable, requireReachable } from '../../accounts/addresses/require-reachable.ts'
import { settleSending } from '../../accounts/addresses/send-limits-of.ts'
import { mailToken, rowsOfMessages } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Admin } from '../../accounts/callers/authenticate-admin.ts'
import { createOrSaveUser } from '../../accounts/lifecycle/create-user.ts'
import {
  invitedUser,
  requireNewUserMetadataFits,
} from '../../accounts/lifecycle/new-user-with-address.ts'
import { type Address, readEmail } from '../../accounts/users/addresses.ts'
import { findForMessage } from '../../accounts/users/find-for-message.sql.ts'
import type { StoredUser } from '../../accounts/users/find-user.sql.ts'
import { presentUser } from '../../accounts/users/present-user.ts'
import { hasConfirmedAddress, type User } from '../../accounts/users/user.ts'
import { changedMeanwhile, emailExists } from '../../accounts/users/user-errors.ts'
import { allowedRedirect } from '../../limits/redirects/allowed-redirect.ts'
import { operatorLimits, unlimited } from '../../limits/send-limits.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import type { Unvalidated } from '../http/endpoint.ts'
import { implement } from '../http/implement.ts'
import { type InviteUserInput, inviteEndpoint } from './invite.endpoint.ts'

export const inviteRoutes = [
  implement(inviteEndpoint, {
    run: ({ ctx, admin, input }) => invite(ctx, admin, input),
    present: presentUser,
  }),
] as const

/**
 * Creates a user and mails an invitation. A user who was invited before and is not confirmed gets a
 * new link.
 *
 * @throws AuthError `email_exists` (422) for a confirmed address, `validation_failed`,
 *   `email_address_invalid`, `email_address_not_authorized` (400), `over_email_send_rate_limit`
 *   (429).
 */
async function invite(
  ctx: AuthContext,
  admin: Admin,
  input: Unvalidated<InviteUserInput>,
): Promise<User> {
  const address = readEmail(input.email ?? '')
  requireNewUserMetadataFits(ctx, address, input.data ?? {})
  requireReachable(ctx, address)
  await requireDeliverable(ctx, address)
  const redirectTo = allowedRedirect(ctx, input.redirect ?? {})
  const existing = await findInvited(ctx, address)
  // An unconfirmed email of an account with another confirmed address does not sign in.
  if (existing && hasConfirmedAddress(existing.user)) throw emailExists()

  const invited = invitedUser(ctx, address, input.data ?? {}, existing)
  const stored = await store(ctx, admin, { existing, invited, address, redirectTo })
  if (!stored) throw changedMeanwhile()
  return stored
}

/** Spends one message of the budget and returns the owner of the address. */
async function findInvited(ctx: AuthContext, address: Address): Promise<StoredUser | null> {
  const limits = ctx.mailboxTakes.email ? unlimited : operatorLimits(ctx.config)
  const spending = spendLimits(ctx, limits)
  const { spent, found } = await findForMessage(ctx.sql, spending, address)
  settleSending(ctx, spent, limits, 'email')
  return found
}

interface Invitation {
  existing: StoredUser | null
  invited: Omit<StoredUser, 'version'>
  address: Address
  redirectTo: string
}

async function store(
  ctx: AuthContext,
  admin: Admin,
  { existing, invited, address, redirectTo }: Invitation,
): Promise<User | null> {
  const { user } = invited
  const token = {
    user,
    to: requestAddress(ctx, address, 'invite', 'operator'),
    purpose: 'confirmation',
    requestedBy: 'invite',
    requestedFrom: 'operator',
  } as const
  const message = mailToken(ctx, 'invite', token, redirectTo)
  return createOrSaveUser(ctx, existing, {
    ...invited,
    audit: { action: 'user_invited', actorRole: admin.role, userId: user.id },
    ...rowsOfMessages(message),
  })
}
