import type { AuthContext } from '../../deps.ts'
import { emailChangeMessage } from '../../steps/email-change-message.ts'
import { withProvedAddress } from '../../steps/prove-address.ts'
import { type TokenMessage, textToken } from '../../steps/token-message.ts'
import type { Account } from '../../users/account.ts'
import type { Address } from '../../users/addresses.ts'
import type { ReadUpdate } from './read-update.ts'

/** An account that waits for addresses to be confirmed, and the messages that ask for it. */
export interface AddressChange {
  account: Account
  messages: TokenMessage[]
}

/** Notes new addresses with an account, to be confirmed by message; some confirm themselves. */
export function changeAddresses(
  ctx: AuthContext,
  account: Account,
  { newAddresses, ...delivery }: ReadUpdate,
): AddressChange {
  const start: AddressChange = { account, messages: [] }
  return newAddresses.reduce((change, address) => {
    const step = address.kind === 'email' ? askForEmail : askForPhone
    const { account: changed, message } = step(ctx, change.account, address, delivery)
    return { account: changed, messages: [...change.messages, ...(message ? [message] : [])] }
  }, start)
}

type Delivery = Omit<ReadUpdate, 'newAddresses'>

interface Asked {
  account: Account
  message: TokenMessage | null
}

function askForEmail(
  ctx: AuthContext,
  account: Account,
  { value }: Address,
  delivery: Delivery,
): Asked {
  const changed = {
    ...account,
    newEmail: value,
    emailChangeSentAt: ctx.clock.now(),
    emailChangeConfirmedBy: null,
  }
  return { account: changed, message: emailChangeMessage(ctx, changed, value, delivery) }
}

function askForPhone(
  ctx: AuthContext,
  account: Account,
  to: Address,
  { channel }: Delivery,
): Asked {
  const now = ctx.clock.now()
  if (ctx.config.sms.autoconfirm) {
    const needs = { random: ctx.random, now }
    const changed = { ...account, newPhone: null, phoneChangeSentAt: null, phoneConfirmedAt: now }
    return { account: withProvedAddress(needs, changed, to), message: null }
  }
  const changed = { ...account, newPhone: to.value, phoneChangeSentAt: now }
  const token = { account: changed, to, purpose: 'phone_change', requestedBy: 'change' } as const
  return { account: changed, message: textToken(ctx, 'phone_change', token, channel) }
}
