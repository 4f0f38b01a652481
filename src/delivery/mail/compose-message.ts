import type { Config } from '../../platform/config/config.ts'
import type { Delivery } from '../carriers/carrier.ts'
import type { RenderedMail } from './mail.ts'
import { extraHeaders, hasHeader, headerValue } from './mail-headers.ts'
import { requireOneMailbox } from './one-mailbox.ts'

/** Who mails are from, and what the operator adds to them. */
export interface Sender {
  address: string
  name: string | null
  headers: Config['email']['smtp']['headers']
}

/**
 * A mail as nodemailer takes it. The envelope is given, not derived from headers: it names one
 * recipient, whatever these say.
 *
 * @throws a final refusal when the recipient is not one plain address.
 */
export function composeMessage(mail: RenderedMail, delivery: Delivery, sender: Sender) {
  const to = requireOneMailbox(mail.to)
  const { address, name, headers } = sender
  return {
    ...(!hasHeader(headers, 'from') && { from: name === null ? address : { name, address } }),
    ...(!hasHeader(headers, 'subject') && { subject: mail.subject }),
    // An object is an address as it is; a text would be parsed, and could be several.
    to: { name: '', address: to },
    envelope: { from: plainAddress(headerValue(headers, 'sender')) ?? address, to: [to] },
    messageId: `<${delivery.id}@${address.slice(address.lastIndexOf('@') + 1)}>`,
    date: delivery.createdAt,
    headers: extraHeaders(headers, mail.kind),
    text: mail.text,
    html: mail.html,
    textEncoding: 'quoted-printable' as const,
    // What looks like a path or a URL is content all the same.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** The address in `Acme <team@example.com>`. */
const plainAddress = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : /<?([^\s<>]+@[^\s<>]+?)>?\s*$/.exec(text)?.[1]
