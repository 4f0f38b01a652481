import { boolean, oneOf } from '../parsers/choices.ts'
import { sendSms } from '../parsers/code-only.ts'
import { list } from '../parsers/lists.ts'
import { map } from '../parsers/maps.ts'
import { instant, integer, seconds } from '../parsers/numbers.ts'
import { callingPrefix, template, text } from '../parsers/texts.ts'
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
    bounds: { unit: 'seconds', unusual: 600, ceiling: 3_600, source: 'OWASP ASVS 5.0 §6.5.5' },
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

const credential = { parser: text, default: null }
const secretCredential = { ...credential, secret: true }

export const smsCarrierSettings = [
  live('sms.twilio.accountSid', {
    ...credential,
    env: 'SMS_TWILIO_ACCOUNT_SID',
    description: 'Account at Twilio.',
  }),
  live('sms.twilio.authToken', {
    ...secretCredential,
    env: 'SMS_TWILIO_AUTH_TOKEN',
    description: 'Token of that account.',
  }),
  live('sms.twilio.messageServiceSid', {
    ...credential,
    env: 'SMS_TWILIO_MESSAGE_SERVICE_SID',
    description: 'Messaging service, or number, of the sender.',
  }),
  live('sms.twilio.contentSid', {
    ...credential,
    env: 'SMS_TWILIO_CONTENT_SID',
    description: 'Content template of messages over WhatsApp.',
  }),
  live('sms.twilioVerify.accountSid', {
    ...credential,
    env: 'SMS_TWILIO_VERIFY_ACCOUNT_SID',
    description: 'Account at Twilio, for Verify.',
  }),
  live('sms.twilioVerify.authToken', {
    ...secretCredential,
    env: 'SMS_TWILIO_VERIFY_AUTH_TOKEN',
    description: 'Token of that account.',
  }),
  live('sms.twilioVerify.messageServiceSid', {
    ...credential,
    env: 'SMS_TWILIO_VERIFY_MESSAGE_SERVICE_SID',
    description: 'Verify service that generates and checks the codes.',
  }),
  live('sms.messagebird.accessKey', {
    ...secretCredential,
    env: 'SMS_MESSAGEBIRD_ACCESS_KEY',
    description: 'Key of the account at MessageBird.',
  }),
  live('sms.messagebird.originator', {
    ...credential,
    env: 'SMS_MESSAGEBIRD_ORIGINATOR',
    description: 'Sender: a number with `+`, or a name.',
  }),
  live('sms.textlocal.apiKey', {
    ...secretCredential,
    env: 'SMS_TEXTLOCAL_API_KEY',
    description: 'Key of the account at Textlocal.',
  }),
  live('sms.textlocal.sender', {
    ...credential,
    env: 'SMS_TEXTLOCAL_SENDER',
    description: 'Sender of messages.',
  }),
  live('sms.vonage.apiKey', {
    ...credential,
    env: 'SMS_VONAGE_API_KEY',
    description: 'Account at Vonage.',
  }),
  live('sms.vonage.apiSecret', {
    ...secretCredential,
    env: 'SMS_VONAGE_API_SECRET',
    description: 'Secret of that account.',
  }),
  live('sms.vonage.from', {
    ...credential,
    env: 'SMS_VONAGE_FROM',
    description: 'Sender of messages.',
  }),
]
