import { text } from '../parsers/texts.ts'
import { live } from '../setting.ts'

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
