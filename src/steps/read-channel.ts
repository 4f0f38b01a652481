import type { Config } from '../config/config.ts'
import { validationFailed } from '../errors/request-errors.ts'
import type { SmsChannel } from '../messages/sms/sms.ts'

/**
 * How a phone is to be reached. WhatsApp is offered by one carrier; a hook may know any way.
 *
 * @throws AuthError `validation_failed`
 */
export function readChannel(config: Config, channel = 'sms'): SmsChannel {
  const isTwilio = config.sms.provider === 'twilio' || config.sms.provider === 'twilio_verify'
  const known = channel === 'sms' || (channel === 'whatsapp' && isTwilio)
  if (known || config.hooks.sendSms.enabled) return channel as SmsChannel
  throw validationFailed(
    "channel: Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only " +
      'supported if Twilio or Twilio Verify is used as the provider.',
  )
}
