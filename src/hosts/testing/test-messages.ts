import type { OutgoingMail } from '../../platform/config/sections/email.ts'

/** A mail as its recipient reads it. */
export interface TestMail extends OutgoingMail {
  /** The link that confirms, signs in or leads on; null where there is none. */
  link: string | null
  /** The code to type; null where there is none. */
  code: string | null
}

export const readMail = (mail: OutgoingMail): TestMail => ({
  ...mail,
  link: linkIn(mail.text),
  code: codeIn(mail.text),
})

/** Templates may link to more than what the mail is for: that one carries a token. */
function linkIn(text: string): string | null {
  const links = text.match(/https?:\/\/[^\s<>"]+/g) ?? []
  return links.find((link) => /[?&]token(_hash)?=/.test(link)) ?? links[0] ?? null
}

/** Digits on their own, and not a part of a link. */
const codeIn = (text: string): string | null =>
  /(?<![\w/=&.-])\d{6,10}(?![\w/=&-])/.exec(text)?.[0] ?? null
