import type { Config } from '../../platform/config/config.ts'
import type { OutgoingMail, SendMail } from '../../platform/config/sections/email.ts'
import { smtpTlsPolicy } from '../../platform/kit/smtp-tls-policy.ts'
import type { ResolveName } from '../../platform/kit/url-trust.ts'
import { mails } from '../../platform/mails/mails.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import {
  type Carrier,
  callCarrierFunction,
  isCarrierRejection,
  mailsAtOnce,
  type Sent,
} from '../carriers/carrier.ts'
import { composeMessage, headersWithoutEffect, requireOneMailbox } from './compose-message.ts'
import type { RenderedMail } from './mail.ts'
import {
  connectByAddress,
  type MailServerConnection,
  type SmtpPatience,
  smtpOptions,
  usualPatience,
} from './smtp-connection.ts'
import { smtpFailure } from './smtp-failure.ts'

interface MailCarrierNeeds extends SmtpNeeds {
  config: SmtpNeeds['config'] & { email: Pick<Config['email'], 'send'> }
}

/** The time limit of the application's function for one mail. */
const functionTimeoutMs = 30_000

/**
 * Returns the carrier of mails: the configured function, else the mail server. Null if there is
 * neither, so that this is known before a mail is stored. Opens no connection yet.
 */
export function openMailCarrier(needs: MailCarrierNeeds): Carrier<RenderedMail> | null {
  const { from, send, smtp } = needs.config.email
  if (send) return sendByFunction(send, from, functionTimeoutMs)
  return smtp.host === null || from.address === null ? null : createSmtpCarrier(needs)
}

/** Returns a carrier that calls a function of the application. */
export const sendByFunction = (
  send: SendMail,
  from: OutgoingMail['from'],
  timeoutMs: number,
): Carrier<RenderedMail> => ({
  send: async ({ kind, to, subject, html, text }, { id, createdAt }) => {
    const sender = { address: from.address, name: from.name }
    const content = { kind, subject, html, text }
    const mail = { id, createdAt, from: sender, to: requireOneMailbox(to), ...content }
    return callCarrierFunction('email.send', () => send(mail), timeoutMs)
  },
})

interface SmtpNeeds {
  config: { externalUrl: string; email: Pick<Config['email'], 'from' | 'smtp'> }
  logger: Logger
}

type SocketCallback = (error: Error | null, opened?: MailServerConnection) => void

/** By wall-clock time: the process may have been suspended meanwhile. */
const maxUnusedMs = 60_000

/**
 * Creates a carrier for a mail server. Connections are opened when needed and reused.
 *
 * A mail is sent at least once: if the connection is lost before the server's response, the mail is
 * repeated with the same `Message-ID`, so that duplicates can be recognized.
 *
 * @see RFC 5321, RFC 3207, RFC 3834
 */
export function createSmtpCarrier(
  { config, logger }: SmtpNeeds,
  patience: SmtpPatience = usualPatience,
  resolve?: ResolveName,
): Carrier<RenderedMail> {
  const { from, smtp } = config.email
  const sender = { address: from.address ?? '', name: from.name, headers: smtp.headers }
  const log = mailLog(logger, sender.address, smtp.loggingEnabled)
  for (const header of headersWithoutEffect(smtp.headers)) {
    logger.warn({ header }, 'configured mail header has no effect')
  }
  const open = async () => {
    const { createTransport } = await import('nodemailer')
    const options = smtpOptions(config, patience)
    // A connection that was found closed is retried once; the outbox makes further attempts.
    // A mail that waited for a connection would spend its time limit there.
    const pool = {
      ...options,
      pool: true,
      maxRequeues: 1,
      maxConnections: mailsAtOnce,
    } as const
    if (smtpTlsPolicy(smtp) !== 'by-address') return createTransport(pool)
    const place = { host: options.host, port: options.port, timeoutMs: patience.connectMs }
    return createTransport({
      ...pool,
      getSocket: (_options: unknown, done: SocketCallback) => {
        connectByAddress(place, resolve).then((opened) => done(null, opened), done)
      },
    })
  }
  let transport: ReturnType<typeof open> | undefined
  let usedAt = 0
  /**
   * Discards an old connection: mail servers and middleboxes close idle connections, some of them
   * silently.
   */
  const reopenAfterLong = (): void => {
    const isOld = Date.now() - usedAt > maxUnusedMs
    usedAt = Date.now()
    if (!transport || !isOld) return
    void transport.then(
      (mailer) => mailer.close(),
      () => {},
    )
    transport = undefined
  }
  return {
    send: async (mail, delivery) => {
      const message = composeMessage(mail, delivery, sender)
      reopenAfterLong()
      transport ??= open().catch((error) => {
        transport = undefined
        throw error
      })
      const mailer = await transport
      try {
        const signal = AbortSignal.timeout(patience.mailMs)
        const { response } = await mailer.sendMail({ ...message, signal })
        log(mail, null)
        return sent(response)
      } catch (error) {
        const failure = isCarrierRejection(error) ? error : smtpFailure(error)
        log(mail, failure)
        throw failure
      }
    },
    close: async () => {
      const mailer = await transport?.catch(() => undefined)
      mailer?.close()
    },
  }
}

/** Returns the server's id of a mail, which many servers report. */
function sent(response: string): Sent {
  const [, carrierMessageId = null] = /\bqueued as <?([^\s>]+)/i.exec(response) ?? []
  return { carrierMessageId }
}

/** Returns a function that logs attempts if enabled. It logs only the domain of the recipient. */
function mailLog(logger: Logger, mailFrom: string, isEnabled: boolean) {
  return ({ kind, to }: RenderedMail, failure: Error | null): void => {
    if (!isEnabled) return
    const fields = {
      event: 'mail.send',
      mail_type: mails[kind].messageType,
      mail_from: mailFrom,
      mail_to_domain: to.slice(to.lastIndexOf('@') + 1),
      ...(failure && { error: failure.message }),
    }
    logger.info(fields, 'mail.send')
  }
}
