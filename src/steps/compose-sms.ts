import type { AuthContext } from '../deps.ts'
import { presentUser } from '../http/present-user.ts'
import type { MessageOrder } from '../messages/outbox/outbox-row.ts'
import type { SmsChannel } from '../messages/sms/sms.ts'
import type { Account } from '../users/account.ts'

/** A code for a phone. */
export interface SmsCode {
  /** The digits of E.164. */
  to: string
  code: string
  expiresAt: Date
  channel: SmsChannel
}

/** An SMS with a code, for the outbox, or for the application's own hook. */
export function composeSms(
  { config }: AuthContext,
  kind: 'confirmation' | 'phone_change' | 'reauthentication',
  account: Account,
  { to, code, expiresAt, channel }: SmsCode,
): MessageOrder {
  const order = { kind, recipient: to, userId: account.id, expiresAt }
  if (!config.hooks.sendSms.enabled) {
    return { ...order, message: { channel: 'sms', content: { to, code, channel } } }
  }
  const payload = { user: presentUser(account), sms: { otp: code, phone: to } }
  return { ...order, message: { channel: 'sms_hook', content: payload } }
}
