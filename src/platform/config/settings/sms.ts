import { boolean, oneOf } from '../kinds/choices.ts'
import { sendSms } from '../kinds/code-only.ts'
import { instant } from '../kinds/instant.ts'
import { list } from '../kinds/lists.ts'
import { map } from '../kinds/maps.ts'
import { integer, seconds } from '../kinds/numbers.ts'
import { callingPrefix, template } from '../kinds/texts.ts'
import { live } from '../setting.ts'

export const smsSettings = [
  live('phone.enabled', {
    env: 'EXTERNAL_PHONE_ENABLED',
    kind: boolean,
    default: false,
    description: 'Sign-up and sign-in by phone.',
  }),
  live('sms.autoconfirm', {
    env: 'SMS_AUTOCONFIRM',
    kind: boolean,
    default: false,
    description: 'Confirms numbers without a message.',
  }),
  live('sms.otpLifetimeSeconds', {
    env: 'SMS_OTP_EXP',
    kind: seconds({ min: 0.001, outside: 60 }),
    default: 60,
    description: 'Lifetime of a code.',
  }),
  live('sms.otpLength', {
    env: 'SMS_OTP_LENGTH',
    kind: integer('digits', { min: 6, max: 10, outside: 6 }),
    default: 6,
    description: 'Length of a code, 6 to 10.',
  }),
  live('sms.maxFrequencySeconds', {
    env: 'SMS_MAX_FREQUENCY',
    kind: seconds(),
    default: 60,
    description: 'Minimum time between two messages to one number.',
  }),
  live('sms.template', {
    env: 'SMS_TEMPLATE',
    kind: template,
    default: 'Your code is {{ .Code }}',
    description: 'Text of a message; `{{ .Code }}` is the code.',
  }),
  live('sms.testOtp', {
    env: 'SMS_TEST_OTP',
    kind: map(':'),
    default: {},
    secret: true,
    description: 'Fixed codes that need no message, by number: `15550001001:123456`.',
  }),
  live('sms.testOtpValidUntil', {
    env: 'SMS_TEST_OTP_VALID_UNTIL',
    kind: instant,
    default: null,
    defaultText: 'forever',
    description: 'End of the fixed codes.',
  }),
  live('sms.allowedPrefixes', {
    env: 'SMS_ALLOWED_PREFIXES',
    kind: list(callingPrefix),
    default: [],
    defaultText: 'all numbers',
    description: 'Permitted beginnings of numbers: `+49,+43`.',
  }),
  live('sms.send', {
    env: null,
    kind: sendSms,
    default: null,
    description: 'A function that delivers messages in place of a carrier.',
  }),
  live('sms.provider', {
    env: 'SMS_PROVIDER',
    kind: oneOf(['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage']),
    default: null,
    description: 'Carrier of messages.',
  }),
]
