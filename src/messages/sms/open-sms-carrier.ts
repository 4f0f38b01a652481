import type { ResolvedSms, SmsProvider } from '../../config/sections/sms.ts'
import { openMessagebird } from './messagebird.ts'
import type { CarrierAccess } from './post-form.ts'
import { sendByFunction } from './send-by-function.ts'
import type { SmsCarrier } from './sms-carrier.ts'
import { openTextlocal } from './textlocal.ts'
import { openTwilio } from './twilio.ts'
import { openTwilioVerify } from './twilio-verify.ts'
import { openVonage } from './vonage.ts'

/** The settings of one carrier, none of them missing. */
type Complete<Settings> = { [Name in keyof Settings]: NonNullable<Settings[Name]> }

/**
 * Who delivers SMS: the function that was configured, else the carrier. Null when there is neither, or
 * when a carrier lacks a part of its credentials, so that it is known beforehand that nothing can be
 * sent.
 */
export function openSmsCarrier(sms: ResolvedSms, access: CarrierAccess): SmsCarrier | null {
  if (sms.send) return sendByFunction(sms.send, access.timeoutMs)
  return sms.provider === null ? null : openers[sms.provider](sms, access)
}

const openers: Record<SmsProvider, (sms: ResolvedSms, access: CarrierAccess) => SmsCarrier | null> =
  {
    twilio: ({ twilio: { contentSid, ...account } }, access) =>
      isComplete(account) ? openTwilio({ ...account, contentSid }, access) : null,
    twilio_verify: ({ twilioVerify }, access) =>
      isComplete(twilioVerify) ? openTwilioVerify(twilioVerify, access) : null,
    messagebird: ({ messagebird }, access) =>
      isComplete(messagebird) ? openMessagebird(messagebird, access) : null,
    textlocal: ({ textlocal }, access) =>
      isComplete(textlocal) ? openTextlocal(textlocal, access) : null,
    vonage: ({ vonage }, access) => (isComplete(vonage) ? openVonage(vonage, access) : null),
  }

const isComplete = <Settings extends object>(
  settings: Settings,
): settings is Settings & Complete<Settings> =>
  Object.values(settings).every((value) => value !== null)
