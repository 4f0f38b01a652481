import { carrierRefusal } from '../carriers/carrier.ts'

/** One plain address of RFC 5321, without quotes, comments, routes and literals. */
const mailbox =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

/**
 * Checks an address before a mail is sent: a list, a group or a quoted form could send a user's
 * link to another recipient.
 *
 * @throws a final rejection if it is not exactly one plain address.
 */
export function requireOneMailbox(text: string): string {
  if (text.length <= 255 && mailbox.test(text)) return text
  throw carrierRefusal('the recipient is not exactly one plain address', true)
}
