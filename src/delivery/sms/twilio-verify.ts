import { type CarrierAccess, textOf } from './post-form.ts'
import type { SmsCarrier } from './sms.ts'
import { isTaken, postToTwilio, type TwilioAccount, twilioRefusal } from './twilio-api.ts'

export interface TwilioVerifySettings extends TwilioAccount {
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
      if (!isTaken(answer)) throw twilioRefusal(answer)
      return { carrierMessageId: textOf(answer.json.sid) || null }
    },
    checkCode: async (phone, code) => {
      const fields = { To: `+${phone}`, Code: code }
      const answer = await postToTwilio(settings, `${service}/VerificationCheck`, fields, access)
      if (isTaken(answer)) return answer.json.status === 'approved' && answer.json.valid === true
      const isWrong = [tooManyChecks, invalidParameter].includes(Number(answer.json.code))
      if (isWrong || answer.status === notFound) return false
      throw twilioRefusal(answer)
    },
  }
}
