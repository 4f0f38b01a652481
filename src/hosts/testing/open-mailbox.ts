import { setTimeout as sleep } from 'node:timers/promises'
import { readMail, type TestMail } from './test-messages.ts'

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
