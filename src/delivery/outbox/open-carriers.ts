import type { Database } from '../../accounts/auth-context.ts'
import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Carrier } from '../carriers/carrier.ts'
import { sendThroughHook } from '../hooks/send-through-hook.ts'
import type { Mail, RenderedMail } from '../mail/mail.ts'
import { openMailCarrier } from '../mail/open-mail-carrier.ts'
import { createMailRenderer } from '../mail/render-mail.ts'
import { openSmsCarrier } from '../sms/open-sms-carrier.ts'
import type { Sms, SmsCarrier } from '../sms/sms.ts'
import { readSmsTemplate } from '../sms/sms-text.ts'
import type { SmsTraffic } from '../sms/sms-traffic.ts'
import { createDevelopmentMailbox, type DevelopmentMailbox } from './development-mailbox.ts'
import type { Carriers, HookPayload, Outlet } from './message.ts'

interface Needs {
  config: Config
  database: Database
  clock: Clock
  logger: Logger
  smsTraffic: SmsTraffic
  telemetry?: Telemetry | null
}

/** Everything that takes messages, as configured. */
export interface OpenCarriers {
  carriers: Carriers
  /** Asks the carrier of SMS whether a code is right; null where codes are ours to check. */
  checkSmsCode: SmsCarrier['checkCode'] | null
  /** Shows, in development, what no configured carrier takes; null where there is one for all. */
  mailbox: DevelopmentMailbox | null
  /** Which messages go there. */
  mailboxTakes: { email: boolean; phone: boolean }
}

/** Decides who takes which messages: a hook, the configured carrier, or the development mailbox. */
export function openCarriers(needs: Needs): OpenCarriers {
  const { config, clock } = needs
  const { sendEmail, sendSms, afterUserCreated, events } = config.hooks
  const ownMailer = openMailCarrier(needs)
  const timeoutMs = config.outgoing.timeoutSeconds * 1000
  const ownTexter = openSmsCarrier(config.sms, { timeoutMs })
  const mailboxTakes = {
    email: config.development && !ownMailer && !sendEmail.enabled,
    phone: config.development && !ownTexter && !sendSms.enabled,
  }
  const isUsed = mailboxTakes.email || mailboxTakes.phone
  const mailbox = isUsed ? createDevelopmentMailbox({ clock }) : null
  const mailer = ownMailer ?? mailbox?.mails
  const texter = ownTexter ?? mailbox?.sms
  return {
    carriers: {
      email: mailer ? renderingMails(needs, mailer) : null,
      sms: texter ? counted(needs, renderingSms(needs, texter), ({ to }) => to) : null,
      email_hook: sendEmail.enabled ? asItIs(sendThroughHook(needs, 'sendEmail', sendEmail)) : null,
      sms_hook: sendSms.enabled
        ? counted(needs, asItIs(sendThroughHook(needs, 'sendSms', sendSms)), phoneOf)
        : null,
      user_hook: afterUserCreated.enabled
        ? asItIs(sendThroughHook(needs, 'afterUserCreated', afterUserCreated))
        : null,
      events: events.enabled ? asItIs(sendThroughHook(needs, 'events', events)) : null,
    },
    checkSmsCode: texter?.checkCode ?? null,
    mailbox,
    mailboxTakes,
  }
}

/** A mail becomes text when it is sent, so that an outage of its template delays nobody's answer. */
function renderingMails(needs: Needs, carrier: Carrier<RenderedMail>): Outlet<Mail> {
  const renderer = createMailRenderer(needs)
  return {
    send: async (mail, delivery) => carrier.send(await renderer.render(mail), delivery),
    preview: async (mail) => {
      const { subject, html, text } = await renderer.render(mail)
      return { subject, html, text }
    },
    close: async () => {
      await renderer.close()
      await carrier.close?.()
    },
  }
}

function renderingSms({ config }: Needs, carrier: SmsCarrier): Outlet<Sms> {
  const usual = readSmsTemplate(config.sms.template)
  const ofFactors = readSmsTemplate(config.mfa.phone.template)
  const textOf = ({ code, isForFactor, credential }: Sms) => {
    const text = (isForFactor ? ofFactors : usual)(code)
    return credential === undefined ? text : `${credential}: ${text}`
  }
  return {
    send: (sms, delivery) => carrier.send({ ...sms, text: textOf(sms) }, delivery),
    preview: async (sms) => ({ text: textOf(sms) }),
    close: async () => carrier.close?.(),
  }
}

/** Whoever sends the codes, the fee is the operator's: so all are watched for toll fraud. */
const counted = <Content>(
  { smsTraffic }: Needs,
  outlet: Outlet<Content>,
  phoneIn: (content: Content) => string,
): Outlet<Content> => ({
  ...outlet,
  send: async (content, delivery) => {
    const sent = await outlet.send(content, delivery)
    smsTraffic.noteSent(phoneIn(content))
    return sent
  },
})

const phoneOf = ({ sms }: HookPayload): string => (sms as { phone: string }).phone

/** A hook makes its own text. */
const asItIs = (hook: Carrier<HookPayload>): Outlet<HookPayload> => ({
  ...hook,
  preview: async (payload) => ({ payload }),
})

/** Lets go of every connection to carriers. */
export async function closeCarriers({ carriers, mailbox }: OpenCarriers): Promise<void> {
  mailbox?.close()
  await Promise.all(Object.values(carriers).map((carrier) => carrier?.close?.()))
}
