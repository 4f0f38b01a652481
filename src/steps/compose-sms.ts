import type { AuthContext } from '../deps.ts'
import { presentUser } from '../http/present-user.ts'
import type { MessageOrder } from '../messages/outbox/outbox-row.ts'
import type { SmsChannel } from '../messages/sms/sms.ts'
import type { User } from '../users/user.ts'

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
  kind: 'confirmation' | 'phone_change' | 'reauthentication' | 'mfa',
  user: User,
  { to, code, expiresAt, channel }: SmsCode,
): MessageOrder {
  const order = { kind, recipient: to, userId: user.id, expiresAt }
  const isForFactor = kind === 'mfa'
  if (!config.hooks.sendSms.enabled) {
    const content = { to, code, channel, ...(isForFactor && { isForFactor }) }
    return { ...order, message: { channel: 'sms', content } }
  }
  const sms = { otp: code, phone: to, ...(isForFactor && { sms_type: 'mfa' }) }
  const payload = { user: presentUser(user), sms }
  return { ...order, message: { channel: 'sms_hook', content: payload } }
}
