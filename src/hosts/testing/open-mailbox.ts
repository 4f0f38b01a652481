import { setTimeout as sleep } from 'node:timers/promises'
import type { OutgoingMail } from '../../platform/config/sections/email.ts'

/** A mail in the mailbox of development. */
export type MailboxMail = Pick<
  TestMail,
  'id' | 'kind' | 'to' | 'subject' | 'html' | 'text' | 'link' | 'code'
>

/** The mail that a test waits for. */
export interface AwaitedMail {
  /** The address of its recipient. */
  to: string
  /** Default: any kind. */
  kind?: MailboxMail['kind'] | undefined
  /** Default: 10. */
  timeoutSeconds?: number | undefined
}

/** The mailbox of an application that runs in development. */
export interface Mailbox {
  /**
   * Waits for a mail and returns it. Each mail is returned once, the oldest first.
   *
   * @throws Error if no such mail is received in time.
   */
  next(mail: AwaitedMail): Promise<MailboxMail>
}

const pollMs = 100

/**
 * Opens the mailbox of an application that runs in development, in a process of its own: for tests
 * that use the whole application, such as in a browser.
 *
 * @param url the address that the application logs when it is ready, with the token.
 * @throws Error if the mailbox rejects the address.
 * @example
 * const mailbox = await openMailbox(url)
 * const { code } = await mailbox.next({ to: 'ada@example.test', kind: 'confirmation' })
 */
export async function openMailbox(url: string): Promise<Mailbox> {
  const entered = await fetch(url, { redirect: 'manual' })
  const [cookie] = entered.headers.getSetCookie()[0]?.split(';') ?? []
  const location = entered.headers.get('location')
  if (cookie === undefined || location === null) {
    throw new Error(`the mailbox rejects its address: ${entered.status}`)
  }
  const mailsUrl = `${new URL(location, url).href}/mails`
  const returned = new Set<string>()
  const read = async (): Promise<MailboxMail[]> => {
    const response = await fetch(mailsUrl, { headers: { cookie } })
    if (!response.ok) throw new Error(`the mailbox responds with ${response.status}`)
    const { mails } = (await response.json()) as { mails: MailboxMail[] }
    return mails.map(readMail)
  }
  const find = async ({ to, kind }: AwaitedMail) =>
    (await read()).find(
      (mail) =>
        mail.to === to && (kind === undefined || mail.kind === kind) && !returned.has(mail.id),
    )
  return {
    next: async (awaited) => {
      const { to, kind = 'mail', timeoutSeconds = 10 } = awaited
      const deadline = performance.now() + timeoutSeconds * 1000
      for (;;) {
        const mail = await find(awaited)
        if (mail) {
          returned.add(mail.id)
          return mail
        }
        if (performance.now() > deadline) throw new Error(`no ${kind} to ${to} in the mailbox`)
        await sleep(pollMs)
      }
    },
  }
}

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
