import { developerRoot } from '../../../endpoints/http/local-access.ts'
import type { Config } from '../../../platform/config/config.ts'
import { isLoopbackHost } from '../../../platform/kit/ip-address.ts'
import type { MailboxTakes } from './mailbox-page.ts'

export const mailboxPath = `${developerRoot}/mail`

/** Returns the URL of the mailbox for a browser. */
export const mailboxUrl = (serviceUrl: string, token: string): string =>
  `${serviceUrl}${mailboxPath}?token=${token}`

interface Needs {
  config: Pick<Config, 'externalUrl' | 'basePath' | 'logger'>
  mailbox: object | null
  mailboxTakes: MailboxTakes
  developerToken: string | null
}

/** Returns the address of the page that shows messages; null where all are sent. */
export const addressOfMailbox = ({ config, mailbox, developerToken }: Needs): string | null =>
  mailbox && developerToken !== null ? mailboxUrl(placeOf(config), developerToken) : null

/**
 * Reports where developers read the messages of their application. Also printed without a logger: a
 * developer could not confirm an address without the mail.
 */
export function announceMailbox(needs: Needs): void {
  const { config, mailboxTakes } = needs
  const url = addressOfMailbox(needs)
  if (url === null) return
  const message = `Latchkey shows ${shownOf(mailboxTakes)} instead of sending them`
  if (config.logger) config.logger.info({ url }, message)
  else process.stderr.write(`${message}: ${url}\n`)
}

/** Names the kinds of shown messages. */
export const shownOf = ({ email, phone }: MailboxTakes): string =>
  [email && 'mails', phone && 'text messages'].filter(Boolean).join(' and ')

/**
 * Returns the base of the address: only the path for a public address, because messages are shown
 * only on this machine, under an address that is not known here.
 */
function placeOf({ externalUrl, basePath }: Needs['config']): string {
  return isLoopbackHost(new URL(externalUrl).hostname) ? externalUrl : basePath
}
