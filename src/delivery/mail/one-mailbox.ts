import { carrierRefusal } from '../carriers/carrier.ts'

/** One plain address as RFC 5321 has it, without quotes, comments, routes and literals. */
const mailbox =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i

/**
 * The last look at an address before a mail goes to it: a list, a group or a quoted trick would send
 * somebody's link to somebody else.
 *
 * @throws a final refusal when it is not exactly one plain address.
 */
export function requireOneMailbox(text: string): string {
  if (text.length <= 255 && mailbox.test(text)) return text
  throw carrierRefusal('the recipient is not exactly one plain address', true)
}
