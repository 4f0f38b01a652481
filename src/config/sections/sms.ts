import type { Seconds } from './values.ts'

export type SmsProvider = 'twilio' | 'twilio_verify' | 'messagebird' | 'textlocal' | 'vonage'

/** Messages by SMS. */
export interface SmsConfig {
  /** Numbers count as confirmed at once. Default false. */
  autoconfirm?: boolean | undefined
  /** Lifetime of codes. Default 60. */
  otpLifetimeSeconds?: Seconds | undefined
  /** Digits of codes, 6 to 10. Default 6. */
  otpLength?: number | undefined
  /** Least time between two messages to one number. Default 60. */
  maxFrequencySeconds?: Seconds | undefined
  /** Text of a message; `{{ .Code }}` is the code. */
  template?: string | undefined
  /** Fixed codes, by number: for reviews of apps, and for tests. */
  testOtp?: Readonly<Record<string, string>> | undefined
  /** When the fixed codes stop working, as RFC 3339 writes it. Default: never. */
  testOtpValidUntil?: string | Date | undefined
  /** Who delivers. */
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
