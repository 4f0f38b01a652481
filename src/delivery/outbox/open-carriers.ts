import type { Config } from '../../platform/config/config.ts'
import type { Clock } from '../../platform/kit/clock.ts'
import { loadOnce } from '../../platform/kit/load-once.ts'
import type { OutgoingQueue } from '../../platform/kit/outgoing-queue.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { Telemetry } from '../../platform/observability/telemetry.ts'
import type { Database } from '../../platform/sql/database.ts'
import type { Carrier } from '../carriers/carrier.ts'
import { sendThroughHook } from '../hooks/send-through-hook.ts'
import type { Mail, RenderedMail } from '../mail/mail.ts'
import { openMailCarrier } from '../mail/open-mail-carrier.ts'
import type { MailRenderer } from '../mail/render-mail.ts'
import { openSmsCarrier } from '../sms/open-sms-carrier.ts'
import { readSmsTemplate, type Sms, type SmsCarrier } from '../sms/sms.ts'
import type { SmsTraffic } from '../sms/sms-traffic.ts'
import { createDevelopmentMailbox, type DevelopmentMailbox } from './development-mailbox.ts'
import {
  type Carriers,
  type HookChannel,
  type HookPayload,
  hookOfChannel,
  type Outlet,
} from './message.ts'

interface Needs {
  config: Config
  database: Database
  clock: Clock
  logger: Logger
  smsTraffic: SmsTraffic
  telemetry?: Telemetry | null
  /** The senders of capabilities. Default: none. */
  outlets?: Partial<Carriers>
  /** The queue of requests that verify codes at a carrier. */
  codeCheckQueue: OutgoingQueue
}

/** All carriers, as configured. */
export interface OpenCarriers {
  carriers: Carriers
  /** Verifies a code at the SMS carrier; null if Latchkey verifies codes. */
  checkSmsCode: SmsCarrier['checkCode'] | null
  /** Shows, in development, messages without a configured carrier; null if all have one. */
  mailbox: DevelopmentMailbox | null
  /** The kinds of messages that it receives. */
  mailboxTakes: { email: boolean; phone: boolean }
}

/** Clients cause these checks, so they are limited as other requests to foreign servers are. */
function queuedCheck(
  texter: Pick<SmsCarrier, 'checkCode'> | undefined | null,
  queue: OutgoingQueue,
): SmsCarrier['checkCode'] | null {
  const check = texter?.checkCode
  return check ? (phone, code) => queue(() => check(phone, code)) : null
}

/** Selects the carriers: a hook, the configured carrier, or the development mailbox. */
export function openCarriers(needs: Needs): OpenCarriers {
  const { config, clock } = needs
  const { sendEmail, sendSms } = config.hooks
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
  const smsHook = hookOutlet(needs, 'sms_hook')
  return {
    carriers: {
      email: mailer ? renderingMails(needs, mailer) : null,
      sms: texter ? counted(needs, renderingSms(needs, texter), ({ to }) => to) : null,
      email_hook: hookOutlet(needs, 'email_hook'),
      sms_hook: smsHook && counted(needs, smsHook, phoneOf),
      user_hook: hookOutlet(needs, 'user_hook'),
      events: hookOutlet(needs, 'events'),
      oauth_logout: needs.outlets?.oauth_logout ?? null,
    },
    checkSmsCode: queuedCheck(texter, needs.codeCheckQueue),
    mailbox,
    mailboxTakes,
  }
}

/**
 * Returns a sender that renders a mail when it is sent, so that an unavailable template delays no
 * response. The first mail loads the code of rendering.
 */
function renderingMails(needs: Needs, carrier: Carrier<RenderedMail>): Outlet<Mail> {
  let opened: MailRenderer | null = null
  const renderer = loadOnce(async () => {
    const { createMailRenderer } = await import('../mail/render-mail.ts')
    opened = createMailRenderer(needs)
    return opened
  })
  const render = async (mail: Mail) => (await renderer()).render(mail)
  return {
    send: async (mail, delivery) => carrier.send(await render(mail), delivery),
    preview: async (mail) => {
      const { subject, html, text } = await render(mail)
      return { subject, html, text }
    },
    close: async () => {
      await opened?.close()
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

/**
 * Counts sent codes for the detection of toll fraud. The operator pays for all of them, whatever
 * the carrier.
 */
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

/**
 * Returns the sender of a channel whose messages a hook receives, which renders the text itself;
 * null if the hook is not configured.
 */
function hookOutlet(needs: Needs, channel: HookChannel): Outlet<HookPayload> | null {
  const point = hookOfChannel[channel]
  const hook = needs.config.hooks[point]
  if (!hook.enabled) return null
  return { ...sendThroughHook(needs, point, hook), preview: async (payload) => ({ payload }) }
}

/** Closes all connections to carriers. */
export async function closeCarriers({ carriers, mailbox }: OpenCarriers): Promise<void> {
  mailbox?.close()
  await Promise.all(Object.values(carriers).map((carrier) => carrier?.close?.()))
}
