import {
  challengedFactorTypes,
  factorKinds,
  factorSwitches,
} from '../../factor-kinds/factor-kinds.ts'
import { maxPasswordBytes } from '../sections/passwords.ts'
import type { SmsProvider } from '../sections/sms.ts'
import type { Rule } from './rule.ts'

/** Requires all parts of a mail server, or another way to send mail. */
export const requireMail: Rule = ({ config, given, report }) => {
  const { email, hooks } = config
  const parts = ['host', 'port', 'user', 'pass'].map((part) => `email.smtp.${part}`)
  if (parts.some(given.has)) {
    const needed = ['email.smtp.host', 'email.smtp.port', 'email.from.address']
    if (given.has('email.smtp.user')) needed.push('email.smtp.pass')
    if (given.has('email.smtp.pass')) needed.push('email.smtp.user')
    for (const path of needed) {
      if (!given.has(path)) report.problem(path, 'is required to send mail by SMTP')
    }
    return
  }
  if (email.send !== null) return
  const isNeeded = email.enabled && !email.autoconfirm && !config.development
  if (!isNeeded || hooks.sendEmail.enabled || report.hasProblem('email.autoconfirm')) return
  report.problem(
    'email.smtp.host',
    `is required to send mail. Or set ${report.name('hooks.sendEmail')}, or ` +
      `${report.name('email.autoconfirm')} to send no mail`,
  )
}

/** Requires the settings that other enabled settings depend on. */
export const requireCompanions: Rule = ({ config, given, report }) => {
  if (config.saml.enabled && !given.has('saml.privateKey')) {
    report.problem('saml.privateKey', 'is required because SAML is enabled')
  }
  const { serviceUrl, serviceHeaders } = config.email.validation
  if (serviceUrl === null && Object.keys(serviceHeaders).length > 0) {
    report.warn(
      'email.validation.serviceHeaders',
      `has no effect without ${report.name('email.validation.serviceUrl')}`,
    )
  }
  const { sampler } = config.telemetry.tracing
  if (given.has('telemetry.tracing.samplerRatio') && !sampler.endsWith('traceidratio')) {
    report.warn(
      'telemetry.tracing.samplerRatio',
      `has no effect where ${report.name('telemetry.tracing.sampler')} is ${sampler}`,
    )
  }
  for (const [point, hook] of Object.entries(config.hooks)) {
    const uri = `hooks.${point}.uri`
    const isRefused = report.hasProblem(`hooks.${point}.enabled`)
    if (hook.enabled && !isRefused && !given.has(uri) && hook.run === null) {
      report.problem(uri, 'is required because the hook is enabled')
    }
    if (hook.enabled && hook.uri?.startsWith('http') && hook.secrets.length === 0) {
      const secrets = `hooks.${point}.secrets`
      if (report.hasProblem(secrets)) continue
      report.warn(
        secrets,
        'is not set: requests to the hook are not signed, so that any client can forge them',
      )
    }
  }
}

/** Rejects a minimum score together with character sets, which serve the same purpose less well. */
export const rejectScoreBesideSets: Rule = ({ config: { passwords }, report }) => {
  if (passwords.minScore === 0 || passwords.requiredCharacters.length === 0) return
  report.problem(
    'passwords.minScore',
    `replaces ${report.name('passwords.requiredCharacters')}: remove one of them`,
  )
}

/** Rejects a minimum length above the maximum, with which no password could be set. */
export const rejectUnreachableLength: Rule = ({ config: { passwords }, report }) => {
  if (passwords.minLength <= maxPasswordBytes) return
  report.problem(
    'passwords.minLength',
    `must be at most ${maxPasswordBytes}: longer passwords are rejected`,
  )
}

/** Requires eight blocks of memory for each lane of a hash. @see RFC 9106 §3.1 */
export const requireHashMemory: Rule = ({ config, report }) => {
  const { memoryKib, parallelism } = config.passwords.argon2
  if (memoryKib >= 8 * parallelism) return
  report.problem(
    'passwords.argon2.memoryKib',
    `must be at least ${8 * parallelism}, 8 for each of ${parallelism} lanes`,
  )
}

/**
 * Rejects a contradiction: one setting confirms every address, the other allows sign-ins with
 * unconfirmed ones.
 */
export const rejectContradictoryConfirmation: Rule = ({ config: { email }, report }) => {
  if (!email.autoconfirm || !email.allowUnverifiedSignIns) return
  report.problem(
    'email.allowUnverifiedSignIns',
    `has no effect with ${report.name('email.autoconfirm')}: remove one of them`,
  )
}

/** Rejects sign-up with passkeys while sign-in with passkeys is disabled. */
export const requirePasskeysForSignUp: Rule = ({ config, report }) => {
  const { enabled, signUpEnabled } = config.passkeys
  if (signUpEnabled && !enabled) {
    report.problem('passkeys.signUpEnabled', 'has no effect while passkeys are disabled')
  }
}

/** Requires one Redis where it is the store of counters, and warns of one without effect. */
export const requireRedis: Rule = ({ config: { rateLimits }, given, report }) => {
  const named = ['rateLimits.redisUrl', 'rateLimits.redis'].filter(given.has)
  if (named.length === 2) {
    report.problem('rateLimits.redis', `replaces ${report.name('rateLimits.redisUrl')}: remove one`)
  }
  if (rateLimits.store === 'redis') {
    if (named.length > 0) return
    const because = `is required because ${report.name('rateLimits.store')} is redis`
    report.problem('rateLimits.redisUrl', because)
    return
  }
  for (const path of named) {
    report.warn(
      path,
      `has no effect where ${report.name('rateLimits.store')} is ${rateLimits.store}`,
    )
  }
}

const smsCredentials: Record<SmsProvider, readonly string[]> = {
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
    const missing = smsCredentials[provider]
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
