import type { OutgoingMail } from '../../platform/config/sections/email.ts'

/** A mail as received. */
export interface TestMail extends OutgoingMail {
  /** The link that confirms, signs in or continues; null without one. */
  link: string | null
  /** The code to type; null without one. */
  code: string | null
}

export const readMail = <Mail extends { text: string }>(
  mail: Mail,
): Mail & Pick<TestMail, 'link' | 'code'> => ({
  ...mail,
  link: linkIn(mail.text),
  code: codeIn(mail.text),
})

/** Returns the action link. Templates may contain other links: this one has a token. */
function linkIn(text: string): string | null {
  const links = text.match(/https?:\/\/[^\s<>"]+/g) ?? []
  return links.find((link) => /[?&]token(_hash)?=/.test(link)) ?? links[0] ?? null
}

/** Returns digits that are not a part of a link. */
const codeIn = (text: string): string | null =>
  /(?<![\w/=&.-])\d{6,10}(?![\w/=&-])/.exec(text)?.[0] ?? null
