import type { Seconds } from './values.ts'

export type SmsProvider = 'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage'

/** An SMS for the application's own function to deliver. */
export interface OutgoingSms {
  /** A UUID, the same at each attempt: carriers call it the idempotency key. */
  id: string
  /** In E.164, as in `+15550001001`. */
  to: string
  text: string
  /** The code that is part of the text. */
  code: string
  channel: 'sms' | 'whatsapp'
}

/**
 * Delivers an SMS. An exception means that it was not accepted, and it is retried. May return the
 * carrier's id of the message.
 */
export type SendSms = (sms: OutgoingSms) => TakenSms | Promise<TakenSms>

// biome-ignore lint/suspicious/noConfusingVoidType: a function may end without a value
type TakenSms = void | { messageId?: string | undefined }

/** Messages by SMS. */
export interface SmsConfig {
  /** Numbers are confirmed without a message. Default false. */
  autoconfirm?: boolean | undefined
  /** Lifetime of codes. Default 60. */
  otpLifetimeSeconds?: Seconds | undefined
  /** Digits of codes, 6 to 10. Default 6. */
  otpLength?: number | undefined
  /** The send interval of one number. Default 60. */
  maxFrequencySeconds?: Seconds | undefined
  /** Text of a message; `{{ .Code }}` is the code. */
  template?: string | undefined
  /** Fixed codes, by number: for reviews of apps, and for tests. */
  testOtp?: Readonly<Record<string, string>> | undefined
  /** The end of the fixed codes, in the format of RFC 3339. Default: never. */
  testOtpValidUntil?: string | Date | undefined
  /** Permitted beginnings of numbers: `['+49', '+43']`. Default: all numbers. */
  allowedPrefixes?: readonly string[] | undefined
  /** Delivers in place of a carrier. */
  send?: SendSms | undefined
  /** The carrier. */
  provider?: SmsProvider | undefined
  twilio?:
    | {
        accountSid?: string | undefined
        authToken?: string | undefined
        /** The messaging service, or the number of the sender. */
        messageServiceSid?: string | undefined
        /** Template of WhatsApp messages. */
        contentSid?: string | undefined
      }
    | undefined
  twilioVerify?:
    | {
        accountSid?: string | undefined
        authToken?: string | undefined
        /** The Verify service. */
        messageServiceSid?: string | undefined
      }
    | undefined
  messagebird?: { accessKey?: string | undefined; originator?: string | undefined } | undefined
  textlocal?: { apiKey?: string | undefined; sender?: string | undefined } | undefined
  vonage?:
    | { apiKey?: string | undefined; apiSecret?: string | undefined; from?: string | undefined }
    | undefined
}

export interface ResolvedSms {
  autoconfirm: boolean
  otpLifetimeSeconds: number
  otpLength: number
  maxFrequencySeconds: number
  template: string
  testOtp: Readonly<Record<string, string>>
  testOtpValidUntil: Date | null
  /** Digits without `+`; empty: all numbers. */
  allowedPrefixes: readonly string[]
  send: SendSms | null
  provider: SmsProvider | null
  twilio: {
    accountSid: string | null
    authToken: string | null
    messageServiceSid: string | null
    contentSid: string | null
  }
  twilioVerify: {
    accountSid: string | null
    authToken: string | null
    messageServiceSid: string | null
  }
  messagebird: { accessKey: string | null; originator: string | null }
  textlocal: { apiKey: string | null; sender: string | null }
  vonage: { apiKey: string | null; apiSecret: string | null; from: string | null }
}
