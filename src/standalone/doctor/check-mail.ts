import type { MailServerTrouble } from '../../delivery/mail/mail-server-trouble.ts'
import type { SmtpPatience } from '../../delivery/mail/smtp-options.ts'
import type { Config } from '../../platform/config/config.ts'
import { checkMailRecords, type TextRecords } from './check-mail-records.ts'
import { type Finding, fine, problem } from './finding.ts'

export interface MailNeeds {
  config: Config
  /** DKIM selectors: names under which the public key may be published. */
  selectors: readonly string[]
  findTexts: TextRecords
  /** The mail server's time limits. Default: 10 seconds for each response. */
  patience?: SmtpPatience
}

/**
 * Checks whether the mail server accepts mail, and whether receivers will trust it. No findings if
 * mail goes to a function, a hook or nowhere.
 */
export async function checkMail({ config, patience, ...needs }: MailNeeds): Promise<Finding[]> {
  const { from, send, smtp } = config.email
  if (send !== null || config.hooks.sendEmail.enabled) return []
  if (smtp.host === null || from.address === null) return []
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1).toLowerCase()
  return [await checkServer(config, patience), ...(await checkMailRecords(domain, needs))]
}

async function checkServer(config: Config, patience?: SmtpPatience): Promise<Finding> {
  const { checkMailServer } = await import('../../delivery/mail/check-mail-server.ts')
  const found = await checkMailServer(config, patience)
  return found === null
    ? fine('mail', 'reached; the server is ready to take messages')
    : problem('mail', found.error, remedies[found.trouble])
}

const remedies: Record<MailServerTrouble, string> = {
  name: 'see that AUTH_SMTP_HOST is spelled right, and that this machine can look up names',
  refused:
    'see that AUTH_SMTP_HOST and AUTH_SMTP_PORT are right: the machine answers that nobody listens there, or that there is no way to it',
  silent:
    'see that this machine may connect there: many providers block port 25, and 587 goes. A port that speaks TLS from the start says nothing to who does not: AUTH_SMTP_PORT=465 does',
  protocol: 'port 465 speaks TLS from the start, 587 after STARTTLS: AUTH_SMTP_PORT says which',
  no_starttls:
    'passwords, links and codes are not sent in clear: use a port of this server that encrypts, 587 or 465 (AUTH_SMTP_PORT), or have its STARTTLS switched on. AUTH_SMTP_TLS=opportunistic sends links and codes, without a user name, in clear',
  certificate_name:
    'AUTH_SMTP_HOST has to be a name that the certificate of the server is for: the one that its provider gives, no alias and no address',
  certificate:
    'have the certificate of the server renewed, or signed by an authority that this machine trusts; NODE_EXTRA_CA_CERTS names the file of one of your own',
  login: 'see that AUTH_SMTP_USER and AUTH_SMTP_PASS are those of this server',
  sender:
    'AUTH_SMTP_ADMIN_EMAIL has to be an address that this account may send from: many providers ask to verify it, or its domain, first',
  busy: 'the server asks to come back later; if it does so for long, ask whoever runs it: there may be a limit on connections or mails',
  other:
    'see that AUTH_SMTP_HOST and AUTH_SMTP_PORT are those of a mail server, and look into its log',
}
