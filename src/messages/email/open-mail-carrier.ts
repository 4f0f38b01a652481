import type { Config } from '../../config/config.ts'
import type { Carrier } from '../carrier.ts'
import type { RenderedMail } from './mail.ts'
import { sendByFunction } from './send-by-function.ts'
import { createSmtpCarrier, type SmtpNeeds } from './smtp-carrier.ts'

export interface MailCarrierNeeds extends SmtpNeeds {
  config: SmtpNeeds['config'] & { email: Pick<Config['email'], 'send'> }
}

/** How long a function of the application's may take for one mail. */
const functionTimeoutMs = 30_000

/**
 * Who sends mails: the function that was configured, else the mail server. Null when there is neither,
 * so that it is known beforehand that nothing can be sent. Nothing is connected to yet.
 */
export function openMailCarrier(needs: MailCarrierNeeds): Carrier<RenderedMail> | null {
  const { from, send, smtp } = needs.config.email
  if (send) return sendByFunction(send, from, functionTimeoutMs)
  return smtp.host === null || from.address === null ? null : createSmtpCarrier(needs)
}
