import type { Config } from '../../config/config.ts'
import { isLoopbackHost } from '../../kit/loopback.ts'
import { checkMailRecords, type TextRecords } from './check-mail-records.ts'
import { type Finding, fine, problem } from './finding.ts'

export interface MailNeeds {
  config: Config
  /** Names under which the public half of a DKIM key may stand. */
  selectors: readonly string[]
  findTexts: TextRecords
}

/** Whether mail can be handed over, and is believed where it arrives. Nothing where it goes to a function, hook or nowhere. */
export async function checkMail({ config, ...needs }: MailNeeds): Promise<Finding[]> {
  const { from, send, smtp } = config.email
  if (send !== null || config.hooks.sendEmail.enabled) return []
  if (smtp.host === null || from.address === null) return []
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1).toLowerCase()
  return [await checkServer(config), ...(await checkMailRecords(domain, needs))]
}

async function checkServer(config: Config): Promise<Finding> {
  try {
    const { checkMailServer } = await import('../../messages/email/smtp-carrier.ts')
    await checkMailServer(config)
    return fine('mail', 'reached; the server is ready to take messages')
  } catch (error) {
    return problem('mail', error, remedyFor(error, config))
  }
}

function remedyFor(error: unknown, { email: { smtp } }: Config): string {
  const { message = '', code = '' }: { message?: unknown; code?: unknown } = Object(error)
  if (/^the mail server answered .* to (AUTH|.*LOGIN|.*PLAIN)/.test(String(message))) {
    return 'see that AUTH_SMTP_USER and AUTH_SMTP_PASS are those of this server'
  }
  const isAboutTls = /TLS|CERT|SSL|SELF_SIGNED|VERIFY/i.test(String(code))
  if (isAboutTls && !isLoopbackHost(smtp.host ?? '')) {
    return 'port 465 speaks TLS from the start, 587 after STARTTLS (AUTH_SMTP_PORT); the certificate has to be good for AUTH_SMTP_HOST'
  }
  return 'see that AUTH_SMTP_HOST and AUTH_SMTP_PORT are right, and that this machine may connect there: many providers block port 25'
}
