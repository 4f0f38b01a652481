import type { H3, H3Event } from 'h3'
import type {
  DevelopmentMailbox,
  MailboxMessage,
} from '../../../delivery/outbox/development-mailbox.ts'
import { requireLocalAccess } from '../../../endpoints/http/local-access.ts'
import { AuthError } from '../../../platform/errors/auth-error.ts'
import { notFound } from '../../../platform/errors/request-errors.ts'
import { Answer } from '../../../platform/http/answer.ts'
import { readQuery } from '../../../platform/http/read-request.ts'
import type { Random } from '../../../platform/kit/random.ts'
import { answerPage, type HtmlPage, privateHeaders } from '../page-answer.ts'
import { streamMessages } from './event-stream.ts'
import { mailboxPath } from './mailbox-address.ts'
import { lockedPage, type MailboxTakes, mailboxPage } from './mailbox-page.ts'

interface MailboxAccess {
  mailbox: DevelopmentMailbox
  takes: MailboxTakes
  /** Generated and printed at each start. Letters and digits. */
  token: string
  random: Random
}

/** Serves the development mailbox, at `/_latchkey/mail`, only for a developer at this machine. */
export function mailboxRoutes(app: H3, { mailbox, takes, token, random }: MailboxAccess): void {
  const answer = (page: HtmlPage) => answerPage(page, random.hex(16))
  const show = (event: H3Event, chosen: MailboxMessage | null) =>
    answer(
      mailboxPage({
        root: rootOf(event),
        messages: mailbox.list(),
        takes,
        chosen,
        view: readQuery(event, 'view') === 'text' ? 'text' : 'html',
      }),
    )
  const guarded = (handle: (event: H3Event) => Answer) => (event: H3Event) => {
    try {
      return requireLocalAccess(event, token) ?? handle(event)
    } catch (error) {
      if (error instanceof AuthError && error.status === 401) return answer(lockedPage)
      throw error
    }
  }

  app.get(
    mailboxPath,
    guarded((event) => show(event, null)),
  )
  app.get(
    `${mailboxPath}/events`,
    guarded((event) => streamMessages(mailbox, event.req.headers.get('last-event-id'))),
  )
  app.get(
    `${mailboxPath}/mails`,
    guarded(() => answerMails(mailbox)),
  )
  app.get(
    `${mailboxPath}/:id`,
    guarded((event) => show(event, requireMessage(mailbox, event))),
  )
  app.get(
    `${mailboxPath}/:id/html`,
    guarded((event) => answerMail(requireMessage(mailbox, event))),
  )
}

/** Returns the path of the mailbox, below the path at which the application mounts the service. */
function rootOf({ url }: H3Event): string {
  const end = url.pathname.indexOf(mailboxPath) + mailboxPath.length
  return url.pathname.slice(0, end)
}

/** Returns the mails as JSON, the oldest first, for `openMailbox` of `latchkey/testing`. */
function answerMails(mailbox: DevelopmentMailbox): Answer {
  const mails = mailbox
    .list()
    .flatMap((message) => (message.kind === 'mail' ? [{ id: message.id, ...message.mail }] : []))
  const headers = { ...privateHeaders, 'content-type': 'application/json; charset=utf-8' }
  return new Answer(200, headers, JSON.stringify({ mails: mails.reverse() }))
}

function requireMessage(mailbox: DevelopmentMailbox, { context }: H3Event): MailboxMessage {
  const message = mailbox.find(context.params?.id ?? '')
  if (!message) throw notFound()
  return message
}

/**
 * Returns the HTML of a mail, which is not trusted: it runs no script, submits no form and has no
 * origin, in the frame or outside it. Its links open in new windows.
 */
function answerMail(message: MailboxMessage): Answer {
  if (message.kind !== 'mail') throw notFound()
  const headers = {
    ...privateHeaders,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': mailPolicy,
    'x-frame-options': 'SAMEORIGIN',
  }
  return new Answer(200, headers, `<!doctype html><base target="_blank">${message.mail.html}`)
}

const mailPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src https: http: data:',
  'font-src https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
  'sandbox allow-popups allow-popups-to-escape-sandbox',
].join('; ')
