import type { AuthContext } from '../../deps.ts'
import { emailChangeMessage } from '../../steps/email-change-message.ts'
import { withoutPendingChange, withProvedAddress } from '../../steps/prove-address.ts'
import { type TokenMessage, textToken } from '../../steps/token-message.ts'
import type { Address } from '../../users/addresses.ts'
import { withPendingEmail } from '../../users/pending.ts'
import type { User } from '../../users/user.ts'
import { needsMessage, type ReadUpdate } from './read-update.ts'

/** An account that waits for addresses to be confirmed, and the messages that ask for it. */
export interface AddressChange {
  user: User
  messages: TokenMessage[]
}

/** Notes new addresses with an account, to be confirmed by message; some confirm themselves. */
export function changeAddresses(
  ctx: AuthContext,
  user: User,
  { newAddresses, ...delivery }: ReadUpdate,
): AddressChange {
  const start: AddressChange = { user, messages: [] }
  return newAddresses.reduce((change, address) => {
    const step = stepFor(ctx, user, address)
    const { user: changed, message } = step(ctx, change.user, address, delivery)
    return { user: changed, messages: [...change.messages, ...(message ? [message] : [])] }
  }, start)
}

function stepFor(ctx: AuthContext, user: User, address: Address) {
  if (!needsMessage(ctx, user, address)) return takeAtOnce
  return address.kind === 'email' ? askForEmail : askForPhone
}

type Delivery = Omit<ReadUpdate, 'newAddresses'>

interface Asked {
  user: User
  message: TokenMessage | null
}

function takeAtOnce(ctx: AuthContext, user: User, address: Address): Asked {
  const needs = { random: ctx.random, now: ctx.clock.now() }
  return {
    user: withProvedAddress(needs, withoutPendingChange(user, address), address),
    message: null,
  }
}

function askForEmail(ctx: AuthContext, user: User, { value }: Address, delivery: Delivery): Asked {
  const changed = withPendingEmail(user, value, ctx.clock.now())
  return { user: changed, message: emailChangeMessage(ctx, changed, value, delivery) }
}

function askForPhone(ctx: AuthContext, user: User, to: Address, { channel }: Delivery): Asked {
  const changed = { ...user, newPhone: to.value, phoneChangeSentAt: ctx.clock.now() }
  const token = { user: changed, to, purpose: 'phone_change', requestedBy: 'change' } as const
  return { user: changed, message: textToken(ctx, 'phone_change', token, channel) }
}
