import type { Config } from '../../../platform/config/config.ts'
import { isLoopbackHost } from '../../../platform/kit/loopback.ts'
import type { MailboxTakes } from './mailbox-page.ts'
import { mailboxUrl } from './mailbox-routes.ts'

interface Needs {
  config: Pick<Config, 'externalUrl' | 'basePath' | 'logger'>
  mailbox: object | null
  mailboxTakes: MailboxTakes
  developerToken: string | null
}

/** Where to read what would have been sent; null where all of it is sent. */
export const addressOfMailbox = ({ config, mailbox, developerToken }: Needs): string | null =>
  mailbox && developerToken !== null ? mailboxUrl(placeOf(config), developerToken) : null

/**
 * Tells whoever develops an application where to read what it would have sent. Without a logger it
 * is said all the same: nobody could confirm an address who does not find the mail.
 */
export function announceMailbox(needs: Needs): void {
  const { config, mailboxTakes } = needs
  const url = addressOfMailbox(needs)
  if (url === null) return
  const message = `Latchkey shows ${shownOf(mailboxTakes)} instead of sending them`
  if (config.logger) config.logger.info({ url }, message)
  else process.stderr.write(`${message}: ${url}\n`)
}

/** Which messages these are. */
export const shownOf = ({ email, phone }: MailboxTakes): string =>
  [email && 'mails', phone && 'text messages'].filter(Boolean).join(' and ')

/**
 * Under an address of the world nothing is shown, and the one of this machine is not known to us.
 */
function placeOf({ externalUrl, basePath }: Needs['config']): string {
  return isLoopbackHost(new URL(externalUrl).hostname) ? externalUrl : basePath
}
