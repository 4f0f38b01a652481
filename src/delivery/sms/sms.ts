import type { Carrier } from '../carriers/carrier.ts'

/** How a phone is reached. */
export type SmsChannel = 'sms' | 'whatsapp'

/** An SMS as data. It becomes text when it is sent. */
export interface Sms {
  /** The digits of E.164, without `+`. */
  to: string
  code: string
  channel: SmsChannel
  /** Whether the code is for a second factor, whose messages have a text of their own. */
  isForFactor?: boolean
  /** Name of the suspended passkey or identity that the code confirms; it precedes the text. */
  credential?: string
}

/** An SMS as it leaves. */
export interface RenderedSms extends Sms {
  text: string
}

export interface SmsCarrier extends Carrier<RenderedSms> {
  /** Whether a code is right, where the carrier makes and checks codes of its own. */
  checkCode?(phone: string, code: string): Promise<boolean>
}
