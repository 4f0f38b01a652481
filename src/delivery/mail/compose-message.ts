import type { Config } from '../../platform/config/config.ts'
import type { Delivery } from '../carriers/carrier.ts'
import type { RenderedMail } from './mail.ts'
import { extraHeaders, hasHeader, headerValue } from './mail-headers.ts'
import { requireOneMailbox } from './one-mailbox.ts'

/** The sender of mails, and the operator's headers. */
export interface Sender {
  address: string
  name: string | null
  headers: Config['email']['smtp']['headers']
}

/**
 * Returns a mail in nodemailer's form. The envelope is explicit, not derived from headers: it
 * contains one recipient, whatever the headers contain.
 *
 * @throws a final rejection if the recipient is not one plain address.
 */
export function composeMessage(mail: RenderedMail, delivery: Delivery, sender: Sender) {
  const to = requireOneMailbox(mail.to)
  const { address, name, headers } = sender
  return {
    ...(!hasHeader(headers, 'from') && { from: name === null ? address : { name, address } }),
    ...(!hasHeader(headers, 'subject') && { subject: mail.subject }),
    // An object is used as one address; a string would be parsed, and could contain several.
    to: { name: '', address: to },
    envelope: { from: plainAddress(headerValue(headers, 'sender')) ?? address, to: [to] },
    messageId: `<${delivery.id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
    date: delivery.createdAt,
    headers: extraHeaders(headers, mail.kind),
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable' as const,
    // Text that looks like a path or a URL must not be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** Returns the address in `Acme <team@example.com>`. */
const plainAddress = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : /<?([^\s<>]+@[^\s<>]+?)>?\s*$/.exec(text)?.[1]
