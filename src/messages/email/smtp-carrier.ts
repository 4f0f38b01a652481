import { isIP } from 'node:net'
import type { Config } from '../../config/config.ts'
import { isLoopbackHost } from '../../kit/loopback.ts'
import type { Logger } from '../../observability/logger.ts'
import { type Carrier, isCarrierRefusal, type Sent } from '../carrier.ts'
import { composeMessage } from './compose-message.ts'
import type { RenderedMail } from './mail.ts'
import { headersWithoutEffect } from './mail-headers.ts'
import { messageTypes } from './message-type.ts'
import { smtpFailure } from './smtp-failure.ts'

export interface SmtpNeeds {
  config: { externalUrl: string; email: Pick<Config['email'], 'from' | 'smtp'> }
  logger: Logger
}

/** How long a server may take: to be reached, between two signs of life, and for all of a mail. */
export interface SmtpPatience {
  connectMs: number
  silenceMs: number
  mailMs: number
}

const usualPatience: SmtpPatience = { connectMs: 10_000, silenceMs: 30_000, mailMs: 40_000 }

/**
 * Hands mails to a mail server. Connections are opened when needed and kept for the next mail.
 *
 * A mail is handed over at least once: a server that takes one and is lost before it says so, is asked
 * again. `Message-ID` stays the same, so that the two can be known for one.
 *
 * @see RFC 5321, RFC 3207, RFC 3834
 */
export function createSmtpCarrier(
  { config, logger }: SmtpNeeds,
  patience: SmtpPatience = usualPatience,
): Carrier<RenderedMail> {
  const { from, smtp } = config.email
  const sender = { address: from.address ?? '', name: from.name, headers: smtp.headers }
  const log = mailLog(logger, sender.address, smtp.loggingEnabled)
  for (const header of headersWithoutEffect(smtp.headers)) {
    logger.warn({ header }, 'a configured header of mails has no effect')
  }
  const open = () => openTransport(config, patience)
  let transport: ReturnType<typeof open> | undefined
  return {
    send: async (mail, delivery) => {
      const message = composeMessage(mail, delivery, sender)
      transport ??= open()
      const mailer = await transport
      try {
        const signal = AbortSignal.timeout(patience.mailMs)
        const { response } = await mailer.sendMail({ ...message, signal })
        log(mail, null)
        return sent(response)
      } catch (error) {
        const failure = isCarrierRefusal(error) ? error : smtpFailure(error)
        log(mail, failure)
        throw failure
      }
    },
    close: async () => {
      const mailer = await transport
      mailer?.close()
    },
  }
}

/**
 * Connects to the mail server as for a mail, with user and password, and sends none.
 *
 * @throws Error that says in words what is wrong.
 */
export async function checkMailServer(config: SmtpNeeds['config']): Promise<void> {
  const transport = await openTransport(config, { ...usualPatience, silenceMs: 10_000 })
  try {
    await transport.verify()
  } catch (error) {
    throw smtpFailure(error)
  } finally {
    transport.close()
  }
}

async function openTransport({ externalUrl, email }: SmtpNeeds['config'], patience: SmtpPatience) {
  const { host, port, implicitTls, user, pass } = email.smtp
  const { createTransport } = await import('nodemailer')
  return createTransport({
    pool: true,
    host: host ?? '',
    port: port ?? 587,
    secure: implicitTls ?? port === 465,
    // A password never travels in clear; only on this machine nobody could read it.
    requireTLS: user !== null && !isLoopbackHost(host ?? ''),
    ...(user !== null && { auth: { user, pass: pass ?? '' } }),
    name: clientName(externalUrl),
    connectionTimeout: patience.connectMs,
    dnsTimeout: patience.connectMs,
    greetingTimeout: patience.silenceMs,
    socketTimeout: patience.silenceMs,
    // A connection that was found closed is tried once more; further attempts are the outbox's.
    maxRequeues: 1,
  })
}

/** What we call ourselves: the name that people reach us by. @see RFC 5321 §4.1.3 */
function clientName(externalUrl: string): string {
  const host = URL.parse(externalUrl)?.hostname ?? ''
  if (isIP(host) === 4) return `[${host}]`
  return host.startsWith('[') ? `[IPv6:${host.slice(1)}` : host || 'localhost'
}

/** Many servers tell under which name they keep a mail. */
function sent(response: string): Sent {
  const [, carrierMessageId = null] = /\bqueued as <?([^\s>]+)/i.exec(response) ?? []
  return { carrierMessageId }
}

/** What an operator may watch. Of the recipient's address the domain is enough to find trouble. */
function mailLog(logger: Logger, mailFrom: string, isEnabled: boolean) {
  return ({ kind, to }: RenderedMail, failure: Error | null): void => {
    if (!isEnabled) return
    const fields = {
      event: 'mail.send',
      mail_type: messageTypes[kind],
      mail_from: mailFrom,
      mail_to_domain: to.slice(to.lastIndexOf('@') + 1),
      ...(failure && { error: failure.message }),
    }
    logger.info(fields, 'mail.send')
  }
}
