import type { Config } from '../../platform/config/config.ts'
import type { OutgoingMail, SendMail } from '../../platform/config/sections/email.ts'
import type { Carrier } from '../carriers/carrier.ts'
import { callCarrierFunction } from '../carriers/carrier.ts'
import { requireOneMailbox } from './compose-message.ts'
import type { RenderedMail } from './mail.ts'
import { createSmtpCarrier, type SmtpNeeds } from './smtp-carrier.ts'

export interface MailCarrierNeeds extends SmtpNeeds {
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
