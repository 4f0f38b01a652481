import type { SmtpPatience } from '../../delivery/mail/smtp-connection.ts'
import type { MailServerTrouble } from '../../delivery/mail/smtp-failure.ts'
import type { Config } from '../../platform/config/config.ts'
import { checkMailRecords, type TextRecords } from './check-mail-records.ts'
import { type Finding, fine, problem } from './finding.ts'

export interface MailNeeds {
  config: Config
  /** DKIM selectors: names under which the public key may be published. */
  selectors: readonly string[]
  findTexts: TextRecords
  /** Returns the name of a setting, for remedies. */
  nameOf: NameOf
  /** The mail server's time limits. Default: 10 seconds for each response. */
  patience?: SmtpPatience | undefined
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
  return [
    await checkServer({ config, nameOf: needs.nameOf, patience }),
    ...(await checkMailRecords(domain, needs)),
  ]
}

async function checkServer({
  config,
  nameOf,
  patience,
}: Pick<MailNeeds, 'config' | 'nameOf' | 'patience'>): Promise<Finding> {
  const { checkMailServer } = await import('../../delivery/mail/check-mail-server.ts')
  const found = await checkMailServer(config, patience)
  return found === null
    ? fine('mail', 'reached; the server accepts messages')
    : problem('mail', found.error, remedies[found.trouble](nameOf))
}

type NameOf = (path: string) => string

const remedies: Record<MailServerTrouble, (nameOf: NameOf) => string> = {
  name: (nameOf) =>
    `check the spelling of ${nameOf('email.smtp.host')}, and that this machine can resolve names`,
  refused: (nameOf) =>
    `check ${nameOf('email.smtp.host')} and ${nameOf('email.smtp.port')}: no server listens on that port, or the machine is unreachable`,
  silent: (nameOf) =>
    `check that this machine may connect to that port: many providers block port 25; use 587. A port with implicit TLS does not respond to unencrypted connections: set ${nameOf('email.smtp.port')} to 465`,
  protocol: (nameOf) =>
    `port 465 uses TLS from the start, 587 after STARTTLS: set ${nameOf('email.smtp.port')} accordingly`,
  no_starttls: (nameOf) =>
    `passwords, links and codes are not sent unencrypted: use a port of this server that encrypts, 587 or 465 (${nameOf('email.smtp.port')}), or enable STARTTLS on the server. The value opportunistic of ${nameOf('email.smtp.tls')} sends links and codes unencrypted, without a user name`,
  certificate_name: (nameOf) =>
    `${nameOf('email.smtp.host')} must be a name in the certificate of the server: the name that its provider specifies, not an alias or an address`,
  certificate: () =>
    'renew the certificate of the server, or have it signed by an authority that this machine trusts; NODE_EXTRA_CA_CERTS names the file of your own authority',
  login: (nameOf) =>
    `check that ${nameOf('email.smtp.user')} and ${nameOf('email.smtp.pass')} are the credentials of this server`,
  sender: (nameOf) =>
    `${nameOf('email.from.address')} must be an address that this account may send from: many providers require you to verify it, or its domain, first`,
  busy: () =>
    'the server rejected the connection temporarily; if this continues, contact its operator about limits on connections or mails',
  other: (nameOf) =>
    `check that ${nameOf('email.smtp.host')} and ${nameOf('email.smtp.port')} belong to a mail server, and read its log`,
}
