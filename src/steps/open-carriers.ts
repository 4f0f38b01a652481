import type { Config } from '../config/config.ts'
import type { Clock } from '../kit/clock.ts'
import type { Carriers } from '../messages/outbox/message.ts'
import { openSmsCarrier } from '../messages/sms/open-sms-carrier.ts'
import { sendThroughHook } from './send-through-hook.ts'

/** Who takes which messages, as configured. */
export function openCarriers(config: Config, { clock }: { clock: Clock }): Carriers {
  const { sendEmail, sendSms } = config.hooks
  return {
    email: null,
    sms: null,
    email_hook: sendEmail.enabled ? sendThroughHook({ clock }, 'sendEmail', sendEmail) : null,
    sms_hook: sendSms.enabled ? sendThroughHook({ clock }, 'sendSms', sendSms) : null,
  }
}
