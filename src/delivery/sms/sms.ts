import type { Carrier } from '../carriers/carrier.ts'

/** A channel to a phone. */
export type SmsChannel = 'sms' | 'whatsapp'

/** An SMS as data. It is rendered when it is sent. */
export interface Sms {
  /** The digits of E.164, without `+`. */
  to: string
  code: string
  channel: SmsChannel
  /** Whether the code is for a second factor, whose messages have a separate text. */
  isForFactor?: boolean
  /** Name of the suspended passkey or identity that the code confirms; it precedes the text. */
  credential?: string
}

export interface RenderedSms extends Sms {
  text: string
}

export interface SmsCarrier extends Carrier<RenderedSms> {
  /** Verifies a code, if the carrier generates and verifies codes itself. */
  checkCode?(phone: string, code: string): Promise<boolean>
}
