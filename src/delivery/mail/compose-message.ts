import type { Config } from '../../platform/config/config.ts'
import { type MailKind, mails } from '../../platform/mails/mails.ts'
import { type Delivery, finalRejection } from '../carriers/carrier.ts'
import type { RenderedMail } from './mail.ts'

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

/** Headers by name, with their values. */
export type HeaderLists = Readonly<Record<string, readonly string[]>>

/** Headers of structure and recipients, which settings cannot change. */
const ours = /^(?:to|cc|bcc|mime-version|content-.*|message-id|date)$/i

/** Returns the configured headers that have no effect. */
export const headersWithoutEffect = (configured: HeaderLists): string[] =>
  Object.keys(configured).filter((name) => ours.test(name))

/**
 * Returns the additional headers of one mail. They include a request to suppress automatic replies.
 *
 * @param configured by the operator; `$messageType` in a value becomes the kind of mail.
 */
function extraHeaders(configured: HeaderLists, kind: MailKind): { key: string; value: string }[] {
  const usable = Object.entries(configured).filter(([name]) => !ours.test(name))
  const lists = hasHeader(configured, 'auto-submitted')
    ? usable
    : [['Auto-Submitted', ['auto-generated']] as const, ...usable]
  return lists.flatMap(([key, values]) =>
    values
      .filter((value) => value !== '')
      .map((value) => ({ key, value: value.replaceAll('$messageType', mails[kind].messageType) })),
  )
}

const hasHeader = (configured: HeaderLists, name: string): boolean =>
  headerValue(configured, name) !== undefined

/** @param name in lower case. */
const headerValue = (configured: HeaderLists, name: string): string | undefined =>
  Object.entries(configured)
    .find(([key]) => key.toLowerCase() === name)?.[1]
    .find((value) => value !== '')

/** One plain address of RFC 5321, without quotes, comments, routes and literals. */
const mailbox =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

/** A domain that ends in a number: mail servers and libraries read it as an IPv4 address. */
const numericDomain = /[@.](?:\d+|0x[\da-f]*)$/i

/**
 * Checks an address before a mail is sent: a list, a group or a quoted form could send a user's
 * link to another recipient. The domain `123` is also the address `0.0.0.123`.
 *
 * @throws a final rejection if it is not exactly one plain address.
 */
export function requireOneMailbox(text: string): string {
  if (text.length <= 255 && mailbox.test(text) && !numericDomain.test(text)) return text
  throw finalRejection('the recipient is not exactly one plain address')
}
