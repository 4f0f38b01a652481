import { boolean, oneOf } from '../parsers/choices.ts'
import { sendSms } from '../parsers/code-only.ts'
import { instant } from '../parsers/instant.ts'
import { list } from '../parsers/lists.ts'
import { map } from '../parsers/maps.ts'
import { integer, seconds } from '../parsers/numbers.ts'
import { callingPrefix, template } from '../parsers/texts.ts'
import { live } from '../setting.ts'

export const smsSettings = [
  live('phone.enabled', {
    env: 'EXTERNAL_PHONE_ENABLED',
    parser: boolean,
    default: false,
    description: 'Sign-up and sign-in by phone.',
  }),
  live('sms.autoconfirm', {
    env: 'SMS_AUTOCONFIRM',
    parser: boolean,
    default: false,
    description: 'Confirms numbers without a message.',
  }),
  live('sms.otpLifetimeSeconds', {
    env: 'SMS_OTP_EXP',
    parser: seconds({ min: 0.001, outside: 60 }),
    default: 60,
    description: 'Lifetime of a code.',
  }),
  live('sms.otpLength', {
    env: 'SMS_OTP_LENGTH',
    parser: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of a code, 6 to 10.',
  }),
  live('sms.maxFrequencySeconds', {
    env: 'SMS_MAX_FREQUENCY',
    parser: seconds(),
    default: 60,
    description: 'Minimum time between two messages to one number.',
  }),
  live('sms.template', {
    env: 'SMS_TEMPLATE',
    parser: template,
    default: 'Your code is {{ .Code }}',
    description: 'Text of a message; `{{ .Code }}` is the code.',
  }),
  live('sms.testOtp', {
    env: 'SMS_TEST_OTP',
    parser: map(':'),
    default: {},
    secret: true,
    description: 'Fixed codes that need no message, by number: `15550001001:123456`.',
  }),
  live('sms.testOtpValidUntil', {
    env: 'SMS_TEST_OTP_VALID_UNTIL',
    parser: instant,
    default: null,
    defaultText: 'forever',
    description: 'End of the fixed codes.',
  }),
  live('sms.allowedPrefixes', {
    env: 'SMS_ALLOWED_PREFIXES',
    parser: list(callingPrefix),
    default: [],
    defaultText: 'all numbers',
    description: 'Permitted beginnings of numbers: `+49,+43`.',
  }),
  live('sms.send', {
    env: null,
    parser: sendSms,
    default: null,
    description: 'A function that delivers messages in place of a carrier.',
  }),
  live('sms.provider', {
    env: 'SMS_PROVIDER',
    parser: oneOf(['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage']),
    default: null,
    description: 'Carrier of messages.',
  }),
]
