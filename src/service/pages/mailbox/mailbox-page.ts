import type { MailboxMessage } from '../../../delivery/outbox/development-mailbox.ts'
import { html, type Markup } from '../html.ts'
import type { HtmlPage } from '../page-answer.ts'
import { mailboxScript } from './mailbox-script.ts'
import { mailboxStyle } from './mailbox-style.ts'
import {
  icon,
  type MailView,
  purposeOf,
  recipientOf,
  renderActions,
  renderMessage,
  subjectOf,
  timeOf,
} from './message-view.ts'

/** The kinds of messages that the mailbox receives; a carrier sends the others. */
export interface MailboxTakes {
  email: boolean
  phone: boolean
}

export interface MailboxPage {
  /** The URL of the mailbox, as the browser has it. */
  root: string
  messages: readonly MailboxMessage[]
  takes: MailboxTakes
  /** Null without a selection. Wide windows then show the newest. */
  chosen: MailboxMessage | null
  view: MailView
}

/**
 * Returns the list of messages, and one of them beside it, or in place of it in a narrow window.
 */
export function mailboxPage({ root, messages, takes, chosen, view }: MailboxPage): HtmlPage {
  const shown = chosen ?? messages[0] ?? null
  const state = chosen ? 'chosen' : 'latest'
  return {
    title: 'Development mailbox',
    style: mailboxStyle,
    script: mailboxScript,
    body: html`<body class="${state}" data-events="${root}/events">
<header class="bar">
  <a class="home" href="${root}"><strong>Latchkey</strong> <span>Development mailbox</span></a>
  <p id="live" role="status"><span class="dot"></span><span class="words">Connecting</span></p>
</header>
<p id="news" class="unseen" aria-live="polite"></p>
<main>
<section class="list" aria-label="Messages">
  <ol id="messages">${messages.map((message) => renderItem(message, root, shown))}</ol>
  ${emptyList(takes)}
</section>
<section class="detail" aria-label="Message">
  <a class="back" href="${root}">${icon('back')}<span>All messages</span></a>
  <div id="shown">${shown && renderMessage(shown, root, view)}</div>
</section>
</main>
</body>`,
  }
}

const emptyList = (takes: MailboxTakes): Markup => html`<div class="empty">
  ${icon(takes.email ? 'mail' : 'sms')}
  <h1>No messages yet</h1>
  <p>${inWords(takes)}</p>
</div>`

function inWords({ email, phone }: MailboxTakes): string {
  if (!email) return 'Text messages show up here. Mails are sent as configured.'
  const when = 'as soon as a user signs up, requests a link or resets a password'
  if (phone) return `Mails and text messages that Latchkey would send show up here, ${when}.`
  return `Mails that Latchkey would send show up here, ${when}. Text messages are sent as configured.`
}

function renderItem(message: MailboxMessage, root: string, shown: MailboxMessage | null): Markup {
  const current = message.id === shown?.id && html` aria-current="true"`
  return html`<li id="m-${message.id}">
<a class="item" href="${root}/${message.id}"${current}>
  <span class="kind">${icon(message.kind)}</span>
  <span class="who">${recipientOf(message)}</span>${timeOf(message)}
  <span class="what">${subjectOf(message)}</span>
  <span class="unseen">${purposeOf(message)}</span>
</a>
${renderActions(message)}
</li>`
}

/** The page for a request without the token of the present start. */
export const lockedPage: HtmlPage = {
  title: 'Development mailbox',
  style: mailboxStyle,
  status: 401,
  body: html`<body class="locked">
<main>
<div class="empty">
  <h1>This page is locked</h1>
  <p>Every start of Latchkey makes a new key for it. Open the address that was printed at the last start.</p>
</div>
</main>
</body>`,
}
