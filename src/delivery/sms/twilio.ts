import { type CarrierAccess, refusal, textOf } from './post-form.ts'
import type { RenderedSms, SmsCarrier } from './sms.ts'
import { isTaken, postToTwilio, type TwilioAccount, twilioRefusal } from './twilio-api.ts'

export interface TwilioSettings extends TwilioAccount {
  /** The messaging service, or the number of the sender. */
  messageServiceSid: string
  /** Template of WhatsApp messages. */
  contentSid: string | null
}

/** @see https://www.twilio.com/docs/messaging/api/message-resource */
export function openTwilio(settings: TwilioSettings, access: CarrierAccess): SmsCarrier {
  const { baseUrl = 'https://api.twilio.com' } = access
  const account = encodeURIComponent(settings.accountSid)
  const url = `${baseUrl}/2010-04-01/Accounts/${account}/Messages.json`
  return {
    send: async (sms) => {
      const answer = await postToTwilio(settings, url, fieldsOf(settings, sms), access)
      if (!isTaken(answer)) throw twilioRefusal(answer)
      const { status, sid, error_message: message, error_code: code } = answer.json
      if (status === 'failed' || status === 'undelivered') {
        const reason = [
          'twilio error:',
          textOf(message),
          textOf(code),
          `for message ${textOf(sid)}`,
        ]
        throw refusal(reason.filter(Boolean).join(' '), answer.status)
      }
      return { carrierMessageId: textOf(sid) || null }
    },
  }
}

function fieldsOf(settings: TwilioSettings, { to, channel, code, text }: RenderedSms) {
  const { messageServiceSid: sender, contentSid } = settings
  if (channel === 'sms') return { To: `+${to}`, Channel: 'sms', From: sender, Body: text }
  const content = contentSid
    ? { ContentSid: contentSid, ContentVariables: `{"1": "${code}"}` }
    : { Body: text }
  const from = isPhoneNumber(sender) ? `whatsapp:${sender}` : sender
  return { To: `whatsapp:+${to}`, Channel: 'whatsapp', From: from, ...content }
}

const isPhoneNumber = (sender: string): boolean =>
  /^[1-9]\d{1,14}$/.test(sender.replace(/^\+|\s/g, ''))
