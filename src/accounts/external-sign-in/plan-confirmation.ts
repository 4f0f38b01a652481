import type { ExternalAccount } from '../../credentials/external/external-account.ts'
import { spendLimits } from '../../limits/spend-send-limits.sql.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { emailChangeMessage } from '../addresses/email-change-message.ts'
import { findAddressUser, isRecipient } from '../addresses/find-recipient.ts'
import { requestAddress } from '../addresses/request-address.ts'
import { requireDeliverable, requireReachable } from '../addresses/require-reachable.ts'
import { sendLimitsOf, settleRequest } from '../addresses/send-limits-of.ts'
import { mailToken, type TokenMessage } from '../addresses/token-message.ts'
import type { AuditEvent } from '../audit/audit-row.ts'
import type { AuthContext } from '../auth-context.ts'
import { findForUpdate } from '../users/find-for-message.sql.ts'
import type { StoredUser } from '../users/find-user.sql.ts'
import { keepsAddress } from '../users/kept-address.ts'
import type { User } from '../users/user.ts'
import { withPendingEmail } from '../users/user-addresses.ts'
import { emailNotConfirmedAtLinking } from '../users/user-errors.ts'
import type { ProvedSignIn } from './decide-account.ts'
import type { AccountPlan } from './plan-account.ts'

/** A sign-in whose address has to be confirmed by a message. */
export interface ConfirmationOrder extends Pick<ProvedSignIn, 'person' | 'redirectTo'> {
  /** The hash of the secret of the browser that signs in; null where there is none. */
  browserHash: string | null
}

/** An account whose address a message confirms. */
export interface Confirmation {
  account: AccountPlan
  /** Null where no address can be confirmed. */
  message: TokenMessage | null
  /** The response until the address is confirmed. */
  rejection: AuthError
}

/**
 * Plans the message that confirms the address of an account. Spends its send limits, also for the
 * address of another user: neither a limit nor a check reveals that one (rule 5).
 *
 * @throws AuthError `email_address_invalid`, `email_address_not_authorized` (400),
 *   `over_email_send_rate_limit` (429).
 */
export function planConfirmation(
  ctx: AuthContext,
  order: ConfirmationOrder,
  account: AccountPlan,
): Promise<Confirmation> {
  const event: AuditEvent = {
    action: 'user_confirmation_requested',
    actorId: account.user.id,
    traits: { provider: order.person.provider },
  }
  const withEvent = { ...account, events: [...account.events, event] }
  return account.kind === 'linked'
    ? confirmLinked(ctx, order, withEvent)
    : confirmSignIn(ctx, order, withEvent)
}

/**
 * Plans the confirmation at linking: the identity is linked, and the session waits until the
 * address is confirmed.
 */
async function confirmLinked(
  ctx: AuthContext,
  { person, redirectTo }: ConfirmationOrder,
  account: AccountPlan,
): Promise<Confirmation> {
  const { provedAt, address } = account
  const email = { kind: 'email', value: address.email ?? '' } as const
  requireReachable(ctx, email)
  await requireDeliverable(ctx, email)
  const limits = sendLimitsOf(ctx, 'email-change', email, account.user.id)
  const now = ctx.clock.now()
  const changed = { email: email.value, phone: null }
  const { spent } = await findForUpdate(ctx, spendLimits(ctx, limits), account.user.id, changed)
  await settleRequest(ctx, requestAddress(ctx, email, 'change'), spent, limits)
  const user = withPendingEmail(account.user, email.value, { now, provedAt })
  const delivery = { by: 'change', codeChallenge: null, redirectTo } as const
  return {
    account: { ...account, user },
    message: emailChangeMessage(ctx, user, email.value, delivery),
    rejection: emailNotConfirmedAtLinking(person.label),
  }
}

async function confirmSignIn(
  ctx: AuthContext,
  order: ConfirmationOrder,
  account: AccountPlan,
): Promise<Confirmation> {
  const rejection = emailNeedsVerification(order.person)
  const value = account.address.email ?? order.person.email
  if (value === null) return { account, message: null, rejection }
  const address = { kind: 'email', value } as const
  const holder = await findAddressUser(ctx, { address, by: 'provider', slot: 'sign-up' })
  const now = ctx.clock.now()
  if (account.address.email !== null) {
    const user = { ...account.user, confirmationSentAt: now }
    const message = confirmationMail(ctx, order, account.user, value)
    return { account: { ...account, user }, message, rejection }
  }
  const user = withPendingEmail(account.user, value, { now, provedAt: null })
  const message =
    holder && keepsAddress(holder, 'email', now)
      ? messageToOwner(ctx, order, holder, value)
      : emailChangeMessage(ctx, user, value, {
          ...requestedIn(order),
          by: 'provider',
          codeChallenge: null,
          redirectTo: order.redirectTo,
        })
  return { account: { ...account, user }, message, rejection }
}

/** Returns the requester: the browser that signs in, in any network; without one, the client. */
const requestedIn = ({ browserHash }: ConfirmationOrder) =>
  browserHash === null ? {} : { requestedFrom: { browserHash } }

const tokenFor = (ctx: AuthContext, order: ConfirmationOrder, user: User, value: string) => ({
  ...requestedIn(order),
  user,
  to: requestAddress(ctx, { kind: 'email', value }, 'provider'),
  requestedBy: 'provider' as const,
})

function confirmationMail(
  ctx: AuthContext,
  order: ConfirmationOrder,
  user: User,
  value: string,
): TokenMessage {
  const token = { ...tokenFor(ctx, order, user, value), purpose: 'confirmation' as const }
  return mailToken(ctx, 'confirmation', token, order.redirectTo)
}

/**
 * Composes the message to a user who keeps the address. Like a message of `/otp` it signs in to
 * that user's account. The identity stays with the new account.
 */
function messageToOwner(
  ctx: AuthContext,
  order: ConfirmationOrder,
  holder: StoredUser,
  value: string,
): TokenMessage | null {
  const { user } = holder
  if (!isRecipient(ctx, holder, { kind: 'email', value })) return null
  if (user.emailConfirmedAt === null) return confirmationMail(ctx, order, user, value)
  const kind = ctx.config.email.magicLinkEnabled ? 'magicLink' : 'recovery'
  const token = { ...tokenFor(ctx, order, user, value), purpose: 'recovery' as const }
  return mailToken(ctx, kind, token, order.redirectTo)
}

/**
 * Returns one error, whether or not another user has the address: a client can name any address at
 * a provider (rule 5).
 */
const emailNeedsVerification = ({ label, email }: ExternalAccount): AuthError =>
  new AuthError(
    'provider_email_needs_verification',
    422,
    email === null
      ? `${label} names no email address of yours, and one is needed to sign in`
      : `Unverified email with ${label}. Verify the email with ${label}, or open the link of the mail that was sent to it, in order to sign in`,
  )
