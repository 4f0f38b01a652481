import {
  challengedFactorTypes,
  factorKinds,
  factorSwitches,
} from '../../factor-kinds/factor-kinds.ts'
import type { SmsProvider } from '../sections/sms.ts'
import type { Rule } from './rule.ts'

const credentials: Record<SmsProvider, readonly string[]> = {
  twilio: ['twilio.accountSid', 'twilio.authToken', 'twilio.messageServiceSid'],
  twilio_verify: [
    'twilioVerify.accountSid',
    'twilioVerify.authToken',
    'twilioVerify.messageServiceSid',
  ],
  messagebird: ['messagebird.accessKey', 'messagebird.originator'],
  textlocal: ['textlocal.apiKey', 'textlocal.sender'],
  vonage: ['vonage.apiKey', 'vonage.apiSecret', 'vonage.from'],
}

/**
 * Warns if no message can be sent. This is not a problem, since fixed test codes need no carrier.
 */
export const warnWithoutSms: Rule = ({ config, given, report }) => {
  const { provider, send } = config.sms
  const isFactorSent = challengedFactorTypes.some(
    (type) => factorKinds[type].carrier === 'sms' && factorSwitches(config, type).verifyEnabled,
  )
  const isNeeded = config.phone.enabled || isFactorSent
  if (send !== null) return
  if (provider !== null) {
    const missing = credentials[provider]
      .map((path) => `sms.${path}`)
      .filter((path) => !given.has(path))
    for (const path of missing) {
      report.warn(path, `is missing: ${provider} cannot send messages without it`)
    }
  } else if (isNeeded && !config.hooks.sendSms.enabled && !config.development) {
    report.warn(
      'sms.provider',
      `is missing: without a carrier, or ${report.name('hooks.sendSms')}, no code can be sent`,
    )
  }
}
