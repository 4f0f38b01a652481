import type { RenderedMail } from '../../../delivery/mail/mail.ts'
import type { MailboxMessage } from '../../../delivery/outbox/development-mailbox.ts'
import { mails } from '../../../platform/mails/mails.ts'
import { html, type Markup, verbatim } from '../html.ts'

/** The view of a mail: as its recipient sees it, or as plain text. */
export type MailView = 'html' | 'text'

export const recipientOf = (message: MailboxMessage): string =>
  message.kind === 'mail' ? message.mail.to : `+${message.sms.to}`

export const subjectOf = (message: MailboxMessage): string =>
  message.kind === 'mail' ? message.mail.subject : message.sms.text

export function purposeOf(message: MailboxMessage): string {
  if (message.kind === 'mail') return mails[message.mail.kind].label ?? 'Notification'
  return message.sms.channel === 'whatsapp' ? 'WhatsApp' : 'SMS'
}

/** Returns the local time: the page is read on the machine that renders it. */
export const timeOf = ({ arrivedAt }: MailboxMessage): Markup =>
  html`<time datetime="${arrivedAt.toISOString()}">${arrivedAt.toLocaleTimeString('en-GB')}</time>`

/** Returns the code and the links, with buttons to copy and open them. */
export function renderActions(message: MailboxMessage): Markup | null {
  const { code, links } = actionsOf(message)
  if (code === null && links.length === 0) return null
  const copyCode =
    code !== null &&
    html`<button type="button" class="code" data-copy="${code}" aria-label="Copy code ${spelled(code)}"><span class="digits">${code}</span>${icon('copy')}</button>`
  return html`<div class="actions">${copyCode}${links.map(renderLink)}</div>`
}

/** Separates the digits for a screen reader. */
const spelled = (code: string): string => [...code].join(' ')

function renderLink(link: string, index: number): Markup {
  const { host, pathname } = new URL(link)
  const place = `${host}${pathname}`
  return html`<div class="link">
  <a class="${index === 0 ? 'open first' : 'open'}" href="${link}" target="_blank" rel="noopener noreferrer" title="${link}">${icon('open')}<span>${index === 0 ? 'Open link' : place}</span></a><button type="button" class="copy" data-copy="${link}" aria-label="Copy link to ${place}">${icon('copy')}</button>
</div>`
}

/**
 * Returns the complete message.
 *
 * @param root the URL of the mailbox.
 */
export function renderMessage(message: MailboxMessage, root: string, view: MailView): Markup {
  return html`<article id="message" aria-labelledby="subject">
<header>
  <p class="tags"><span class="tag">${purposeOf(message)}</span>${timeOf(message)}</p>
  <h1 id="subject">${message.kind === 'mail' ? message.mail.subject : 'Text message'}</h1>
  <p class="to">To <strong>${recipientOf(message)}</strong></p>
</header>
${renderActions(message)}
${message.kind === 'mail' ? renderMail(message, root, view) : html`<p class="bubble">${message.sms.text}</p>`}
</article>`
}

function renderMail(
  { id, mail }: Extract<MailboxMessage, { kind: 'mail' }>,
  root: string,
  view: MailView,
): Markup {
  const tab = (name: MailView, label: string) =>
    html`<a href="${root}/${id}${name === 'text' && '?view=text'}"${name === view && current}>${label}</a>`
  const shown =
    view === 'text'
      ? html`<pre class="text" tabindex="0" aria-label="Plain text of the mail">${mail.text}</pre>`
      : html`<iframe src="${root}/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" title="The mail as its reader sees it"></iframe>`
  return html`<nav class="tabs" aria-label="View">${tab('html', 'Preview')}${tab('text', 'Plain text')}</nav>
${shown}`
}

const current = html` aria-current="true"`

/** Paths on a square of 24 units, drawn as lines. */
const paths = {
  mail: 'M4 6h16v12H4z M4 7l8 6 8-6',
  sms: 'M5 5h14v10h-7l-4 4v-4H5z',
  copy: 'M9 9h10v10H9z M15 9V5H5v10h4',
  open: 'M10 6H6v12h12v-4 M14 5h5v5 M19 5l-8 8',
  back: 'M14 6l-6 6 6 6',
}

/** Returns an icon beside a text with the same meaning, hidden from screen readers. */
export const icon = (name: keyof typeof paths): Markup =>
  html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${verbatim(paths[name])}"></path></svg>`

/** The actions that a message is sent for: links to open, a code to enter. */
interface MessageActions {
  /** The link of the mail's purpose is the first. */
  links: readonly string[]
  code: string | null
}

export function actionsOf(message: MailboxMessage): MessageActions {
  if (message.kind === 'sms') return { links: [], code: message.sms.code }
  const links = linksIn(message.mail)
  return { links, code: codeIn(message.mail) }
}

function linksIn({ html, text }: RenderedMail): string[] {
  const inHtml = [...html.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)].map(
    ([, double, single]) => decodeEntities(double ?? single ?? '').trim(),
  )
  const all = inHtml.length > 0 ? inHtml : (text.match(urls) ?? [])
  const links = [...new Set(all)].filter((link) => URL.parse(link)?.protocol.match(/^https?:$/))
  return links.toSorted((one, other) => Number(isAction(other)) - Number(isAction(one)))
}

const urls = /https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]]/gi

const isAction = (link: string): boolean => /[?&](?:token|token_hash|code)=/.test(link)

/** Finds the code in subject or text. Digits within a link, a number or a word are not a code. */
function codeIn({ subject, text }: RenderedMail): string | null {
  const found = /(?<![\w.,:/+#-])\d{6,10}(?![\w/:-]|[.,]\d)/.exec(
    `${subject}\n${text}`.replace(urls, ''),
  )
  return found?.[0] ?? null
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

const decodeEntities = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
