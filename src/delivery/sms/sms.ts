import { parseTemplate } from '../../platform/go-template/parse-template.ts'
import { renderText } from '../../platform/go-template/render-template.ts'
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

/** Renders the text of a message with its code. */
type SmsText = (code: string) => string

/**
 * Parses a template of messages, whose only variable `{{ .Code }}` is the code.
 *
 * @throws TemplateError for a template that could not be rendered.
 */
export function readSmsTemplate(source: string): SmsText {
  const template = parseTemplate(source)
  const textOf: SmsText = (code) => renderText(template, { Code: code }, { isStrict: true })
  textOf('123456')
  return textOf
}

/** Fixed codes, for reviews of apps and for tests. */
interface TestCodeSettings {
  testOtp: Readonly<Record<string, string>>
  testOtpValidUntil: Date | null
}

/** Returns the fixed code of a number, which needs no message; null for all other numbers. */
export function findTestCode(
  { testOtp, testOtpValidUntil }: TestCodeSettings,
  phone: string,
  now: Date,
): string | null {
  if (testOtpValidUntil !== null && now > testOtpValidUntil) return null
  const entry = Object.entries(testOtp).find(([number]) => digitsOf(number) === phone)
  return entry?.[1] ?? null
}

const digitsOf = (number: string): string => number.replace(/^\+/, '').replaceAll(' ', '')
