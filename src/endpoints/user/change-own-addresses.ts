import { emailChangeMessage } from '../../accounts/addresses/email-change-message.ts'
import {
  withConfirmedAddress,
  withoutPendingChange,
} from '../../accounts/addresses/prove-address.ts'
import { requestAddress } from '../../accounts/addresses/request-address.ts'
import { type TokenMessage, textToken } from '../../accounts/addresses/token-message.ts'
import type { AuthContext } from '../../accounts/auth-context.ts'
import type { Address } from '../../accounts/users/addresses.ts'
import type { User } from '../../accounts/users/user.ts'
import { withPendingEmail, withPendingPhone } from '../../accounts/users/user-addresses.ts'
import { needsMessage, type ReadUpdate } from './read-update.ts'

/** An account with addresses pending confirmation, and the messages that request it. */
export interface AddressChange {
  user: User
  messages: TokenMessage[]
}

/**
 * Stores new addresses as pending and builds the messages that confirm them. With autoconfirm, they
 * are confirmed at once.
 */
export function changeAddresses(
  ctx: AuthContext,
  user: User,
  { newAddresses, ...delivery }: ReadUpdate & { provedAt: Date | null },
): AddressChange {
  const start: AddressChange = { user, messages: [] }
  return newAddresses.reduce((change, address) => {
    const step = stepFor(ctx, user, address)
    const { user: changed, message } = step(ctx, change.user, address, delivery)
    return { user: changed, messages: [...change.messages, ...(message ? [message] : [])] }
  }, start)
}

function stepFor(ctx: AuthContext, user: User, address: Address) {
  if (!needsMessage(ctx, user, address)) return changeWithoutConfirmation
  return address.kind === 'email' ? requestEmailChange : requestPhoneChange
}

type Delivery = Omit<ReadUpdate, 'newAddresses'> & {
  /** See `withPendingEmail`. */
  provedAt: Date | null
}

interface RequestedChange {
  user: User
  message: TokenMessage | null
}

function changeWithoutConfirmation(
  ctx: AuthContext,
  user: User,
  address: Address,
): RequestedChange {
  const needs = { now: ctx.clock.now() }
  return {
    user: withConfirmedAddress(needs, withoutPendingChange(user, address), address),
    message: null,
  }
}

function requestEmailChange(
  ctx: AuthContext,
  user: User,
  { value }: Address,
  delivery: Delivery,
): RequestedChange {
  const { provedAt } = delivery
  const changed = withPendingEmail(user, value, { now: ctx.clock.now(), provedAt })
  return {
    user: changed,
    message: emailChangeMessage(ctx, changed, value, { by: 'change', ...delivery }),
  }
}

function requestPhoneChange(
  ctx: AuthContext,
  user: User,
  address: Address,
  { channel, provedAt }: Delivery,
): RequestedChange {
  const to = requestAddress(ctx, address, 'change')
  const changed = withPendingPhone(user, to.value, { now: ctx.clock.now(), provedAt })
  const token = { user: changed, to, purpose: 'phone_change', requestedBy: 'change' } as const
  return { user: changed, message: textToken(ctx, 'phone_change', token, channel) }
}
