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
    ? fine('mail', 'reached; the server accepts messages')
    : problem('mail', found.error, remedies[found.trouble])
}

const remedies: Record<MailServerTrouble, string> = {
  name: 'check the spelling of AUTH_SMTP_HOST, and that this machine can resolve names',
  refused:
    'check AUTH_SMTP_HOST and AUTH_SMTP_PORT: no server listens on that port, or the machine is unreachable',
  silent:
    'check that this machine may connect to that port: many providers block port 25; use 587. A port with implicit TLS does not respond to unencrypted connections: set AUTH_SMTP_PORT=465',
  protocol: 'port 465 uses TLS from the start, 587 after STARTTLS: set AUTH_SMTP_PORT accordingly',
  no_starttls:
    'passwords, links and codes are not sent unencrypted: use a port of this server that encrypts, 587 or 465 (AUTH_SMTP_PORT), or enable STARTTLS on the server. AUTH_SMTP_TLS=opportunistic sends links and codes unencrypted, without a user name',
  certificate_name:
    'AUTH_SMTP_HOST must be a name in the certificate of the server: the name that its provider specifies, not an alias or an address',
  certificate:
    'renew the certificate of the server, or have it signed by an authority that this machine trusts; NODE_EXTRA_CA_CERTS names the file of your own authority',
  login: 'check that AUTH_SMTP_USER and AUTH_SMTP_PASS are the credentials of this server',
  sender:
    'AUTH_SMTP_ADMIN_EMAIL must be an address that this account may send from: many providers require you to verify it, or its domain, first',
  busy: 'the server rejected the connection temporarily; if this continues, ask its operator about limits on connections or mails',
  other: 'check that AUTH_SMTP_HOST and AUTH_SMTP_PORT belong to a mail server, and read its log',
}
