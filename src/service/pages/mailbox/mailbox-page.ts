import type { MailboxMessage } from '../../../delivery/outbox/development-mailbox.ts'
import { html, type Markup } from '../html.ts'
import type { HtmlPage } from '../page-answer.ts'
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

interface MailboxPage {
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
  <p>Each start creates a new token. Open the address that the last start printed.</p>
</div>
</main>
</body>`,
}

/**
 * The script of the page. The server renders all content. The script takes new messages from a
 * newly requested page, and copies texts by buttons.
 */
const mailboxScript = String.raw`
const find = (id) => document.getElementById(id)
const announce = (text) => { find('news').textContent = text }

document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.classList.add('copied')
    setTimeout(() => button.classList.remove('copied'), 1500)
    announce('Copied')
  } catch {
    announce('The browser does not permit copying')
  }
})

let unseen = 0
const count = (change) => {
  unseen = change
  document.title = document.title.replace(/^\(\d+\) /, '')
  if (unseen > 0) document.title = '(' + unseen + ') ' + document.title
}
document.addEventListener('visibilitychange', () => { if (!document.hidden) count(0) })

const redraw = async () => {
  const answer = await fetch(location.href)
  if (!answer.ok) return
  // The style of that page has a nonce that is not good for this one.
  const text = (await answer.text()).replace(/<head>.*?<\/head>/s, '')
  const drawn = new DOMParser().parseFromString(text, 'text/html')
  const wanted = [...drawn.querySelectorAll('#messages > li')]
  const ids = new Set(wanted.map(({ id }) => id))
  const list = find('messages')
  for (const item of [...list.children]) if (!ids.has(item.id)) item.remove()
  // Items that are there stay as they are, and so does the focus in them.
  for (const item of wanted.reverse()) if (!find(item.id)) list.prepend(document.adoptNode(item))
  if (!document.body.classList.contains('latest') || find('shown').contains(document.activeElement)) return
  const newest = list.querySelector('.item')
  for (const item of list.querySelectorAll('[aria-current]')) item.removeAttribute('aria-current')
  newest?.setAttribute('aria-current', 'true')
  find('shown').replaceChildren(...drawn.getElementById('shown').childNodes)
}

let waiting
const show = (state, words) => {
  clearTimeout(waiting)
  find('live').className = state
  find('live').querySelector('.words').textContent = words
}
const events = new EventSource(document.body.dataset.events)
events.addEventListener('open', () => show('on', 'Live'))
events.addEventListener('error', () => {
  // The server ends each connection after a while, and the browser makes the next.
  clearTimeout(waiting)
  if (events.readyState === EventSource.CLOSED) show('off', 'Locked: open the address that was printed at the last start')
  else waiting = setTimeout(() => show('off', 'Latchkey is not running'), 3000)
})
events.addEventListener('message', async ({ data }) => {
  await redraw()
  if (document.hidden) count(unseen + 1)
  announce(data)
})
`
