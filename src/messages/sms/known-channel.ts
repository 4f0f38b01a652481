import type { ResolvedSms } from '../../config/sections/sms.ts'
import type { SmsChannel } from './sms.ts'

/** Who reaches people over WhatsApp too. A function of the application's may; what it does is its own. */
const withWhatsapp: readonly ResolvedSms['provider'][] = ['twilio', 'twilio_verify']

/** Whether the configured sender, other than a hook, can be asked for a channel. */
export const isKnownChannel = (
  { send, provider }: Pick<ResolvedSms, 'send' | 'provider'>,
  channel: string,
): channel is SmsChannel =>
  channel === 'sms' ||
  (channel === 'whatsapp' && (send !== null || withWhatsapp.includes(provider)))
