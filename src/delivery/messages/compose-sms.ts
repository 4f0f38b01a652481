import type { AuthContext } from '../../accounts/auth-context.ts'
import { presentUser } from '../../accounts/users/present-user.ts'
import type { User } from '../../accounts/users/user.ts'
import type { MessageOrder } from '../outbox/outbox-row.ts'
import type { SmsChannel } from '../sms/sms.ts'

/** A code for a phone. */
export interface SmsCode {
  /** The digits of E.164. */
  to: string
  code: string
  expiresAt: Date
  channel: SmsChannel
  /** Name of the suspended passkey or identity that the code confirms. */
  credentialLabel?: string
}

/** Composes an SMS with a code, for the outbox or the application's hook. */
export function composeSms(
  { config }: AuthContext,
  kind: 'confirmation' | 'phone_change' | 'reauthentication' | 'credential' | 'mfa',
  user: User,
  { to, code, expiresAt, channel, credentialLabel: credential }: SmsCode,
): MessageOrder {
  const order = { kind, recipient: to, userId: user.id, expiresAt }
  const isForFactor = kind === 'mfa'
  if (!config.hooks.sendSms.enabled) {
    const content = {
      to,
      code,
      channel,
      ...(isForFactor && { isForFactor }),
      ...(credential && { credential }),
    }
    return { ...order, message: { channel: 'sms', content } }
  }
  const sms = {
    otp: code,
    phone: to,
    ...(channel !== 'sms' && { channel }),
    ...(isForFactor && { sms_type: 'mfa' }),
    ...(credential && { sms_type: 'credential', provider: credential }),
  }
  const payload = { user: presentUser(user), sms }
  return { ...order, message: { channel: 'sms_hook', content: payload } }
}
