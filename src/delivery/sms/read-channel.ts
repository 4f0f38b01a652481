import type { Config } from '../../platform/config/config.ts'
import { validationFailed } from '../../platform/errors/request-errors.ts'
import { isKnownChannel } from './open-sms-carrier.ts'
import type { SmsChannel } from './sms.ts'

/**
 * Reads the channel to a phone. Few senders support WhatsApp; a hook may support any channel.
 *
 * @throws AuthError `validation_failed`
 */
export function readChannel(config: Config, channel = 'sms'): SmsChannel {
  if (isKnownChannel(config.sms, channel) || config.hooks.sendSms.enabled) {
    return channel as SmsChannel
  }
  throw validationFailed(
    "channel: Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only " +
      'supported if Twilio or Twilio Verify is used as the provider.',
  )
}
