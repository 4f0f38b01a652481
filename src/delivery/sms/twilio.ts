import { type CarrierAccess, type CarrierAnswer, postForm, rejection, textOf } from './post-form.ts'
import type { RenderedSms, SmsCarrier } from './sms.ts'

export interface TwilioAccount {
  accountSid: string
  authToken: string
}

/** Posts to Twilio, for both of its carriers. Returns responses of any status. */
const postToTwilio = (
  { accountSid, authToken }: TwilioAccount,
  url: string,
  fields: Readonly<Record<string, string>>,
  access: CarrierAccess,
): Promise<CarrierAnswer> => {
  const credentials = Buffer.from(`${accountSid}:${authToken}`).toString('base64')
  return postForm({ url, authorization: `Basic ${credentials}`, fields }, access)
}

export const isTaken = ({ status }: CarrierAnswer): boolean => status === 200 || status === 201

/** Converts Twilio's response to a rejected request. */
function twilioRejection({ status, json }: CarrierAnswer): Error {
  const message = textOf(json.message) || `twilio error: status ${status}`
  const more = textOf(json.more_info)
  return rejection(more ? `${message} More information: ${more}` : message, status)
}

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
      if (!isTaken(answer)) throw twilioRejection(answer)
      const { status, sid, error_message: message, error_code: code } = answer.json
      if (status === 'failed' || status === 'undelivered') {
        const reason = [
          'twilio error:',
          textOf(message),
          textOf(code),
          `for message ${textOf(sid)}`,
        ]
        throw rejection(reason.filter(Boolean).join(' '), answer.status)
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

interface TwilioVerifySettings extends TwilioAccount {
  /** The Verify service. */
  messageServiceSid: string
}

/** The verification does not exist, or too many codes were tried. */
const notFound = 404
const tooManyChecks = 60202
/** The input cannot be a code. */
const invalidParameter = 60200

/**
 * Opens Twilio Verify, which generates, sends and verifies codes itself: Latchkey's code is never
 * sent.
 *
 * @see https://www.twilio.com/docs/verify/api
 */
export function openTwilioVerify(
  settings: TwilioVerifySettings,
  access: CarrierAccess,
): SmsCarrier {
  const { baseUrl = 'https://verify.twilio.com' } = access
  const service = `${baseUrl}/v2/Services/${encodeURIComponent(settings.messageServiceSid)}`
  return {
    send: async ({ to, channel }) => {
      const fields = { To: `+${to}`, Channel: channel }
      const answer = await postToTwilio(settings, `${service}/Verifications`, fields, access)
      if (!isTaken(answer)) throw twilioRejection(answer)
      return { carrierMessageId: textOf(answer.json.sid) || null }
    },
    checkCode: async (phone, code) => {
      const fields = { To: `+${phone}`, Code: code }
      const answer = await postToTwilio(settings, `${service}/VerificationCheck`, fields, access)
      if (isTaken(answer)) return answer.json.status === 'approved' && answer.json.valid === true
      const isWrong = [tooManyChecks, invalidParameter].includes(Number(answer.json.code))
      if (isWrong || answer.status === notFound) return false
      throw twilioRejection(answer)
    },
  }
}
