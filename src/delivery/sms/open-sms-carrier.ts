import type { Config } from '../../platform/config/config.ts'
import type { ResolvedSms, SendSms, SmsProvider } from '../../platform/config/sections/sms.ts'
import { AuthError } from '../../platform/errors/auth-error.ts'
import { serviceUnavailable, validationFailed } from '../../platform/errors/request-errors.ts'
import { callCarrierFunction } from '../carriers/carrier.ts'
import { hidingCredentials } from './hiding-credentials.ts'
import { openMessagebird } from './messagebird.ts'
import type { CarrierAccess } from './post-form.ts'
import type { SmsCarrier, SmsChannel } from './sms.ts'
import { openTextlocal } from './textlocal.ts'
import { openTwilio, openTwilioVerify } from './twilio.ts'
import { openVonage } from './vonage.ts'

/** The settings of one carrier, all of them present. */
type Complete<Settings> = { [Name in keyof Settings]: NonNullable<Settings[Name]> }

/**
 * Returns the SMS carrier: the configured function, else the provider. Null if there is neither, or
 * if the provider's credentials are incomplete, so that this is known before a message is stored.
 */
export function openSmsCarrier(sms: ResolvedSms, access: CarrierAccess): SmsCarrier | null {
  if (sms.send) return sendByFunction(sms.send, access.timeoutMs)
  const carrier = sms.provider === null ? null : openers[sms.provider](sms, access)
  return carrier && hidingCredentials(carrier, credentialsOf(sms))
}

/** Returns the credentials of all providers, as requests contain them. */
const credentialsOf = ({ twilio, twilioVerify, messagebird, textlocal, vonage }: ResolvedSms) =>
  [
    ...[twilio, twilioVerify].flatMap(({ accountSid, authToken }) => [
      authToken,
      accountSid && authToken && basicAuthorization(accountSid, authToken),
    ]),
    messagebird.accessKey,
    textlocal.apiKey,
    vonage.apiSecret,
  ].flatMap((secret) => secret || [])

/** @see RFC 7617 §2 */
const basicAuthorization = (user: string, password: string): string =>
  Buffer.from(`${user}:${password}`).toString('base64')

const openers: Record<SmsProvider, (sms: ResolvedSms, access: CarrierAccess) => SmsCarrier | null> =
  {
    twilio: ({ twilio: { contentSid, ...account } }, access) =>
      isComplete(account) ? openTwilio({ ...account, contentSid }, access) : null,
    twilio_verify: ({ twilioVerify }, access) =>
      isComplete(twilioVerify) ? openTwilioVerify(twilioVerify, access) : null,
    messagebird: ({ messagebird }, access) =>
      isComplete(messagebird) ? openMessagebird(messagebird, access) : null,
    textlocal: ({ textlocal }, access) =>
      isComplete(textlocal) ? openTextlocal(textlocal, access) : null,
    vonage: ({ vonage }, access) => (isComplete(vonage) ? openVonage(vonage, access) : null),
  }

const isComplete = <Settings extends object>(
  settings: Settings,
): settings is Settings & Complete<Settings> =>
  Object.values(settings).every((value) => value !== null)

/** Returns a carrier that calls a function of the application. */
const sendByFunction = (send: SendSms, timeoutMs: number): SmsCarrier => ({
  send: async ({ to, text, code, channel }, { id }) => {
    const sms = { id, to: `+${to}`, text, code, channel }
    return callCarrierFunction('sms.send', () => send(sms), timeoutMs)
  },
})

/** Providers that support WhatsApp. A function of the application may support it as well. */
const withWhatsapp: readonly ResolvedSms['provider'][] = ['twilio', 'twilio_verify']

/** Reports whether the configured sender, other than a hook, may support a channel. */
export const isKnownChannel = (
  { send, provider }: Pick<ResolvedSms, 'send' | 'provider'>,
  channel: string,
): channel is SmsChannel =>
  channel === 'sms' ||
  (channel === 'whatsapp' && (send !== null || withWhatsapp.includes(provider)))

/** The setting of permitted destinations: beginnings of numbers, without `+`. */
interface Settings {
  allowedPrefixes: readonly string[]
}

/**
 * Reports whether a message may be sent to a number.
 *
 * @param phone the digits of E.164, without `+`.
 */
export const isAllowedDestination = ({ allowedPrefixes }: Settings, phone: string): boolean =>
  allowedPrefixes.length === 0 || allowedPrefixes.some((prefix) => phone.startsWith(prefix))

/** A longer name of a channel is not stored in audit entries and log lines. */
const maxChannelLength = 64

/**
 * Reads the channel to a phone. Few senders support WhatsApp; a hook may support any channel.
 *
 * @throws AuthError `validation_failed`
 */
export function readChannel(config: Config, channel = 'sms'): SmsChannel {
  if (isKnownChannel(config.sms, channel)) return channel
  if (config.hooks.sendSms.enabled) {
    if (channel.length <= maxChannelLength) return channel as SmsChannel
    throw validationFailed(`channel: must have at most ${maxChannelLength} characters`)
  }
  throw validationFailed(
    "channel: Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only " +
      'supported if Twilio or Twilio Verify is used as the provider.',
  )
}

/** The lifetime of the codes that Twilio Verify generates, unless its service has another one. */
const carrierLifetimeSeconds = 600

/** Returns the lifetime of codes by SMS: at least that of a carrier which generates them. */
export const smsCodeLifetimeSeconds = (by: Parameters<typeof carrierCheck>[0]): number =>
  carrierCheck(by) === null
    ? by.config.sms.otpLifetimeSeconds
    : Math.max(by.config.sms.otpLifetimeSeconds, carrierLifetimeSeconds)

/**
 * Returns a function that verifies a code sent to a phone, if the carrier generates codes itself;
 * null if Latchkey verifies them. The function throws `service_unavailable` (503) if the carrier
 * does not respond with a result.
 */
export function carrierCheck({
  config,
  checkSmsCode,
}: {
  config: Config
  checkSmsCode: SmsCarrier['checkCode'] | null
}): ((phone: string, code: string) => Promise<boolean>) | null {
  if (!checkSmsCode || config.hooks.sendSms.enabled) return null
  return (phone, code) =>
    checkSmsCode(phone, code).catch((error: unknown) => {
      if (error instanceof AuthError) throw error
      throw serviceUnavailable('The code cannot be checked', error)
    })
}
